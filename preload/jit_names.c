/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/jit_names.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/store/records.h"
#include "preload/sys/perf_names.h"
#include "preload/sys/sysmem.h"
#include "preload/trace/format.h"

#define SEEN_MAX 65536u

struct seen {
	uint64_t address;
	_Atomic uint32_t id; /* 0: not written yet */
};

static struct {
	_Atomic uint32_t count;
	struct seen *_Atomic seen; /* [SEEN_MAX] */
} noted;

_Static_assert(PERF_NAME_BYTES_MAX == XT_JIT_NAME_BYTES_MAX, "a name fits its record");

void jit_names_init(void)
{
	struct seen *seen = atomic_load(&noted.seen);
	uint32_t i;

	for (i = 0; seen && i < noted.count && i < SEEN_MAX; i++)
		seen[i].id = 0;
	atomic_store(&noted.count, 0);
}

void jit_names_note(uint64_t address, uint32_t id)
{
	struct seen *seen = atomic_load(&noted.seen), *fresh;
	uint32_t i;

	if (!seen) {
		fresh = sysmem_new(SEEN_MAX * sizeof(*fresh));
		if (!fresh)
			return;
		if (atomic_compare_exchange_strong(&noted.seen, &seen, fresh))
			seen = fresh;
		else
			sysmem_free(fresh, SEEN_MAX * sizeof(*fresh));
	}
	if (atomic_load_explicit(&noted.count, memory_order_relaxed) >= SEEN_MAX)
		return;
	i = atomic_fetch_add(&noted.count, 1);
	if (i >= SEEN_MAX)
		return;
	seen[i].address = address;
	atomic_store_explicit(&seen[i].id, id, memory_order_release);
}

static void collect(struct perf_names *n)
{
	const struct seen *seen = atomic_load(&noted.seen);
	const uint32_t count = atomic_load(&noted.count);
	uint32_t i;

	for (i = 0; i < count && i < SEEN_MAX; i++) {
		const uint32_t id = atomic_load_explicit(&seen[i].id, memory_order_acquire);

		if (id)
			n->name[n->count++] =
				(struct perf_name){ .address = seen[i].address, .id = id };
	}
}

static void write_records(const struct perf_names *n)
{
	uint32_t i;

	for (i = 0; i < n->count; i++) {
		const struct xt_jit_name head = { n->name[i].id, n->name[i].bytes };
		const char *text = perf_names_get(n, &n->name[i]);
		const struct records_piece piece[] = { { &head, sizeof(head) },
						       { text, head.bytes } };

		if (text && records_add(XT_RECORD_JIT_NAME, piece, 2) < 0)
			return;
	}
}

void jit_names_write(uint32_t pid)
{
	const size_t bytes = PERF_BUFFER_BYTES + SEEN_MAX * sizeof(struct perf_name);
	struct perf_names n = { .map = -1, .dump = -1 };

	if (!atomic_load(&noted.count))
		return;
	n.buffer = sysmem_new(bytes);
	if (!n.buffer)
		return;
	n.name = (struct perf_name *)(void *)(n.buffer + PERF_BUFFER_BYTES);
	collect(&n);
	perf_names_sort(&n);
	perf_names_of_map(&n, pid);
	perf_names_of_dump(&n, pid);
	write_records(&n);
	perf_names_close(&n);
	sysmem_free(n.buffer, bytes);
}
