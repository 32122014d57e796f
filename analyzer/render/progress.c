/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/progress.h"

#define FIRST_NS UINT64_C(2000000000) /* work that takes less says nothing */
#define STEP_NS UINT64_C(200000000)

void progress_init(struct progress *progress, FILE *out, const char *what, uint64_t now_ns)
{
	*progress = (struct progress){ out, what, now_ns + FIRST_NS, false };
}

void progress_tell(struct progress *progress, uint64_t now_ns, uint64_t done, uint64_t all)
{
	if (now_ns < progress->next_ns || !all)
		return;
	progress->next_ns = now_ns + STEP_NS;
	progress->is_shown = true;
	fputs("\r\033[K", progress->out);
	/* It may be a path, and so anything. */
	for (const char *at = progress->what; *at; at++)
		putc((unsigned char)*at < 0x20 || *at == 0x7F ? '?' : *at, progress->out);
	fprintf(progress->out, ": %u %%", done < all ? (unsigned)(100.0 * (double)done / (double)all)
						      : 100);
	fflush(progress->out);
}

void progress_clear(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", progress->out);
	fflush(progress->out);
	progress->is_shown = false;
}
