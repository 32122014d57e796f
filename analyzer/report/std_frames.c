/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/std_frames.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/name_parts.h"
#include "analyzer/symbols/demangle.h"

enum answer { NOT_ASKED, IS_STD, IS_OTHER };

struct std_frames {
	uint8_t *answer; /* by number of the name */
	uint32_t room;
};

/* What names begin with. */
static const char *const beginnings[] = {
	/* libstdc++ */
	"std::allocator::",
	"std::allocator_traits::",
	"std::__new_allocator::",
	"__gnu_cxx::new_allocator::",
	"__gnu_cxx::__alloc_traits::",
	"std::__allocate_guarded",
	/* libc++ */
	"std::__1::allocator::",
	"std::__1::allocator_traits::",
	"std::__1::__allocate_at_least",
	"std::__1::__libcpp_allocate",
	"std::__1::__libcpp_operator_new",
	/* Rust */
	"alloc::alloc::",
	"alloc::raw_vec::",
	"<alloc::alloc::Global as ",
	"<alloc::raw_vec::",
	"<std::alloc::System as ",
	"std::sys::alloc::",
	"__rust_",
	"__rdl_",
	"__rustc::__r",
};

/* What functions of std's containers begin with. */
static const char *const members[] = { "_M_allocate", "_M_get_node", "_M_create" };

static bool is_one_of(const char *name, const char *const *beginning, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, beginning[i], strlen(beginning[i])))
			return true;
	return false;
}

static bool is_std_name(const char *name)
{
	const char *member = strrchr(name, ':');

	if (!strcmp(name, "operator new") || !strcmp(name, "operator new[]"))
		return true;
	if (is_one_of(name, beginnings, sizeof(beginnings) / sizeof(*beginnings)))
		return true;
	return member && !strncmp(name, "std::", strlen("std::")) &&
	       is_one_of(member + 1, members, sizeof(members) / sizeof(*members));
}

static bool is_std(const char *function)
{
	char *text = demangle_symbol(function, true); /* with --demangle=no, too */
	struct name_parts parts;
	bool ret;

	name_parts_split(&parts, text);
	ret = is_std_name(parts.name);
	name_parts_release(&parts);
	free(text);
	return ret;
}

struct std_frames *std_frames_new(void)
{
	return xcalloc(1, sizeof(struct std_frames));
}

void std_frames_free(struct std_frames *frames)
{
	if (!frames)
		return;
	free(frames->answer);
	free(frames);
}

bool std_frames_has(struct std_frames *frames, const struct frame_name *frame)
{
	if (frame->name >= frames->room) {
		const uint32_t room = frame->name * 2 + 256;

		frames->answer = xrealloc(frames->answer, room);
		memset(frames->answer + frames->room, NOT_ASKED, room - frames->room);
		frames->room = room;
	}
	if (frames->answer[frame->name] == NOT_ASKED)
		frames->answer[frame->name] = is_std(frame->function) ? IS_STD : IS_OTHER;
	return frames->answer[frame->name] == IS_STD;
}
