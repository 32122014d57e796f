/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/traced_addresses.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

static int compare_addresses(const void *left, const void *right)
{
	const struct traced_address *a = left, *b = right;
	const uint64_t a_module = a->module ? (uint64_t)a->module->index + 1 : 0;
	const uint64_t b_module = b->module ? (uint64_t)b->module->index + 1 : 0;

	if (a_module != b_module)
		return a_module < b_module ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static struct traced_address look_up(const struct module_map *map, const struct xt_id *entry,
				     uint32_t id)
{
	/* into the call, not behind it */
	const uint64_t pc = entry->pc - (entry->flags & XT_IDF_EXACT ? 0 : 1);
	const struct module *module = module_map_find(map, entry->epoch, pc);

	return (struct traced_address){ .module = module,
					.addr = module ? pc - module->load_bias : entry->pc,
					.entry = entry,
					.id = id };
}

static void keep_distinct(struct traced_addresses *addresses)
{
	size_t kept = 0;

	for (size_t i = 0; i < addresses->count; i++) {
		const struct traced_address *last = kept ? &addresses->at[kept - 1] : NULL;

		if (!last || last->module != addresses->at[i].module ||
		    last->addr != addresses->at[i].addr)
			addresses->at[kept++] = addresses->at[i];
	}
	addresses->count = kept;
}

void traced_addresses_build(struct traced_addresses *addresses, const struct trace *trace)
{
	const struct frame_table *frames = trace_frames(trace);
	const struct xt_id *entry;
	size_t room = 0;

	*addresses = (struct traced_addresses){ .at = NULL };
	for (uint32_t id = 0; (entry = frame_table_next(frames, &id)); id++) {
		if (addresses->count == room) {
			room = room * 2 + 256;
			addresses->at = xreallocarray(addresses->at, room, sizeof(*addresses->at));
		}
		addresses->at[addresses->count++] = look_up(trace_modules(trace), entry, id);
	}
	if (addresses->count)
		qsort(addresses->at, addresses->count, sizeof(*addresses->at), compare_addresses);
	keep_distinct(addresses);
}

void traced_addresses_warn(const struct trace *trace, struct warnings *warnings)
{
	warnings_copy(warnings, trace_warnings(trace));
	if (trace_is_live(trace))
		warnings_add(warnings, "the process is still running: this is how far it has come");
}

void traced_addresses_release(struct traced_addresses *addresses)
{
	free(addresses->at);
	addresses->at = NULL;
}
