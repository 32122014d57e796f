/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/commands.h"
#include "analyzer/cmd/temporary.h"
#include "analyzer/render/render_symbols.h"
#include "analyzer/report/symbol_bundle.h"
#include "analyzer/symbols/symbol_file.h"

/* Is there nothing at path, or a bundle, which may be replaced? A damaged one may not: who knows
 * what it is. */
static int check_place(const char *path, struct err *err)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct symbol_file *file;
	char *why = NULL;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_set(err, "%s: %s", path, strerror(errno));
	file = symbol_file_read(fd, SYMBOL_BUNDLE_MAX, &why);
	close(fd);
	symbol_file_free(file);
	if (!why)
		return 0;
	err_set(err, "-o would replace %s, which is no bundle: %s", path, why);
	free(why);
	return -1;
}

static int write_bundle(const struct symbol_bundle *bundle, const char *path, const char *name,
			struct err *err)
{
	FILE *out;
	int ret;

	temporary_set(path);
	out = fopen(path, "wxe");
	if (!out) {
		temporary_set(NULL);
		return err_set(err, "%s: cannot be written: %s", name, strerror(errno));
	}
	errno = 0;
	ret = symbol_file_write(out, bundle->table, bundle->tables, SYMBOL_BUNDLE_MAX);
	if ((fclose(out) | ret) || rename(path, name))
		return err_set(err, "%s: cannot be written: %s", name,
			       strerror(errno ? errno : EIO));
	temporary_set(NULL);
	return 0;
}

static int run(const struct options *options, const char *path, struct bundle_facts *facts,
	       struct err *err)
{
	struct symbolizer_options how;
	struct symbol_bundle bundle;
	struct trace *trace;
	struct stat status;
	int ret;

	if (check_place(facts->to, err) || trace_open(&trace, facts->from, err))
		return -1;
	how = analysis_symbols(options, trace);
	symbol_bundle_build(&bundle, trace, &how);
	for (size_t i = 0; i < bundle.warnings.count; i++)
		print_error("%s: warning: %s", facts->from, bundle.warnings.text[i]);
	ret = write_bundle(&bundle, path, facts->to, err);
	facts->modules = bundle.tables;
	facts->addresses = bundle.addresses;
	if (!stat(facts->to, &status))
		facts->bytes = (uint64_t)status.st_size;
	symbol_bundle_release(&bundle);
	trace_close(trace);
	return ret;
}

enum status cmd_bundle_symbols(const struct options *options)
{
	struct bundle_facts facts = { .from = options->path[0], .to = options->out };
	char *path = xasprintf("%s.new.%d", facts.to, (int)getpid());
	struct err err;
	const int ret = run(options, path, &facts, &err);

	temporary_remove();
	free(path);
	if (ret) {
		print_error("%s", err.text);
		return STATUS_UNUSABLE;
	}
	if (options->is_json)
		render_bundle_json(stdout, &facts);
	else
		render_bundle_text(stdout, &facts);
	return STATUS_DONE;
}
