/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/comparable.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/text.h"
#include "analyzer/report/environment.h"

#define OUR_NAME "libxalloc.so"

const char *comparable_state_text(enum comparable_state state)
{
	static const char *const text[] = {
		[COMPARABLE_EQUAL] = "equal",
		[COMPARABLE_DIFFERENT] = "different",
		[COMPARABLE_NOT_LOADED] = "not loaded",
		[COMPARABLE_NO_BUILD_ID] = "no build ID",
		[COMPARABLE_NOT_OBSERVED] = "not observed",
	};

	return text[state];
}

char *comparable_affects_text(unsigned affects)
{
	return xasprintf(
		"%s%s%s%s", affects & AFFECTS_COUNTS ? "counts" : "",
		affects & AFFECTS_RESIDENT
			? (affects & AFFECTS_COUNTS ? ", resident memory" : "resident memory")
			: "",
		affects & AFFECTS_TIMES ? (affects & 3u ? ", times" : "times") : "",
		affects & AFFECTS_STACKS ? (affects & 7u ? ", stacks" : "stacks") : "");
}

const char *comparable_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static struct comparable_fact *add(struct comparable *c, char *name, const char *before,
				   const char *after, unsigned affects)
{
	struct comparable_fact *fact;

	c->fact = xreallocarray(c->fact, c->facts + 1, sizeof(*c->fact));
	fact = &c->fact[c->facts++];
	*fact = (struct comparable_fact){ .name = name,
					  .before = xstrdup(before ? before : ""),
					  .after = xstrdup(after ? after : ""),
					  .affects = affects };
	if (!*fact->before || !*fact->after)
		fact->state = COMPARABLE_NOT_OBSERVED;
	else if (strcmp(fact->before, fact->after))
		fact->state = COMPARABLE_DIFFERENT;
	return fact;
}

/* "not comparable", if it is different. */
static void set_reason(struct comparable *c, struct comparable_fact *fact)
{
	fact->is_reason = fact->state == COMPARABLE_DIFFERENT;
	c->is_comparable = c->is_comparable && !fact->is_reason;
}

static char *join_arguments(char *const *argv, size_t argc)
{
	char *text = xstrdup("");

	for (size_t i = 1; i < argc; i++) {
		char *longer = xasprintf("%s%s%s", text, i > 1 ? " " : "", argv[i]);

		free(text);
		text = longer;
	}
	return text;
}

static void add_arguments(struct comparable *c, const struct trace *before,
			  const struct trace *after)
{
	char *a = join_arguments(trace_argv(before), trace_argc(before));
	char *b = join_arguments(trace_argv(after), trace_argc(after));
	struct comparable_fact *fact = add(c, xstrdup("arguments"), a, b, AFFECTS_COUNTS);

	if (trace_argc(before) && trace_argc(after)) /* none is something, too */
		fact->state = strcmp(a, b) ? COMPARABLE_DIFFERENT : COMPARABLE_EQUAL;
	free(a);
	free(b);
}

/* Of two paths the same file's name, or "libx.so.4" and "libx.so.4.5.10": the one is a link to the
 * other where both are what one program has loaded; whether it is the same build, its build ID
 * says. */
static bool is_same_library(const char *path, const char *other_path)
{
	const char *a = comparable_base_name(path), *b = comparable_base_name(other_path);
	const bool is_longer = strlen(a) > strlen(b);
	const char *longer = is_longer ? a : b, *shorter = is_longer ? b : a;
	const size_t length = strlen(shorter);

	if (strncmp(longer, shorter, length))
		return false;
	longer += length;
	return !*longer || (*longer == '.' && strstr(shorter, ".so") &&
			    strspn(longer, ".0123456789") == strlen(longer));
}

/* "glibc" of "glibc 2.36". */
static char *first_word(const char *text)
{
	return text ? xstrndup(text, strcspn(text, " ")) : xstrdup("");
}

/* Of a path its file's name: one that the loader looked up may be called otherwise than what the
 * kernel has mapped, and its build is a module's. is_same_build: both are the same file's, whatever
 * it is called. */
static void add_allocator(struct comparable *c, const char *before_text, const char *after_text,
			  bool is_same_build)
{
	const char *before = before_text ? comparable_base_name(before_text) : "";
	const char *after = after_text ? comparable_base_name(after_text) : "";
	char *a, *b;

	if (*before && *after && (is_same_build || is_same_library(before, after)))
		before = after;
	a = first_word(before);
	b = first_word(after);

	set_reason(c, add(c, xstrdup("allocator"), a, b, AFFECTS_COUNTS | AFFECTS_RESIDENT));
	free(a);
	free(b);
	add(c, xstrdup("allocator's version"), before, after, AFFECTS_RESIDENT);
}

static void add_environment(struct comparable *c, const struct strlist *before,
			    const struct strlist *after, bool is_same_allocator)
{
	static const struct {
		const char *name;
		unsigned affects;
	} fact[] = { { "libc", AFFECTS_COUNTS },
		     { "thp", AFFECTS_RESIDENT },
		     { "cgroup_memory_max", AFFECTS_RESIDENT },
		     { "kernel", AFFECTS_TIMES | AFFECTS_RESIDENT },
		     { "cpu", AFFECTS_TIMES } };

	add_allocator(c, environment_value(before, "allocator"),
		      environment_value(after, "allocator"), is_same_allocator);
	for (size_t i = 0; i < sizeof(fact) / sizeof(*fact); i++)
		add(c, xstrdup(fact[i].name), environment_value(before, fact[i].name),
		    environment_value(after, fact[i].name), fact[i].affects);
}

/* The value of a variable, NULL: it is not set. */
static const char *variable_value(const struct strlist *environment, const char *name,
				  size_t length)
{
	for (size_t i = 0; i < environment->count; i++) {
		const char *variable = environment_variable(environment->text[i]);

		if (variable && !strncmp(variable, name, length) && variable[length] == '=')
			return variable + length + 1;
	}
	return NULL;
}

/* Those of `from`; of both only once. */
static void add_variables(struct comparable *c, const struct strlist *from,
			  const struct strlist *before, const struct strlist *after)
{
	for (size_t i = 0; i < from->count; i++) {
		const char *variable = environment_variable(from->text[i]);
		const size_t length = variable ? strcspn(variable, "=") : 0;
		const char *a, *b;

		if (!variable || (from == after && variable_value(before, variable, length)))
			continue;
		a = variable_value(before, variable, length);
		b = variable_value(after, variable, length);
		add(c, xstrndup(variable, length), a ? a : "[not set]", b ? b : "[not set]",
		    AFFECTS_RESIDENT);
	}
}

static bool is_same_build(const struct module *a, const struct module *b)
{
	return a->build_id_bytes && a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

/* A module of that file name in the other trace, else of the same library, else of the same build:
 * a link, or a copy, may be called anything. */
static const struct module *find_module(const struct module_map *map, const struct module *like)
{
	const char *name = comparable_base_name(like->path);
	const struct module *found = NULL, *build = NULL;

	for (size_t i = 0; i < module_map_count(map); i++) {
		const struct module *module = module_map_get(map, i);

		if (module->is_main != like->is_main)
			continue;
		if (module->is_main || !strcmp(comparable_base_name(module->path), name))
			return module;
		if (!found && is_same_library(module->path, like->path))
			found = module;
		if (!build && is_same_build(module, like))
			build = module;
	}
	return found ? found : build;
}

/* The build ID, to be freed, of the library that the environment says malloc is in; "": it is not
 * known. */
static char *allocator_build(const struct module_map *map, const struct strlist *environment)
{
	const char *path = environment_value(environment, "allocator");

	for (size_t i = 0; path && i < module_map_count(map); i++) {
		const struct module *module = module_map_get(map, i);

		if (!module->is_main &&
		    !strcmp(comparable_base_name(module->path), comparable_base_name(path)))
			return text_hex(module->build_id, module->build_id_bytes);
	}
	return xstrdup("");
}

static bool is_same_allocator(const struct trace *before, const struct trace *after)
{
	char *a = allocator_build(trace_modules(before), trace_environment(before));
	char *b = allocator_build(trace_modules(after), trace_environment(after));
	const bool is_same = *a && !strcmp(a, b);

	free(a);
	free(b);
	return is_same;
}

static void add_module(struct comparable *c, const struct module *before,
		       const struct module *after)
{
	const struct module *one = before ? before : after;
	char *a = before ? text_hex(before->build_id, before->build_id_bytes) : xstrdup("");
	char *b = after ? text_hex(after->build_id, after->build_id_bytes) : xstrdup("");
	struct comparable_fact *fact =
		add(c,
		    xasprintf("%s %s", one->is_main ? "program" : "module",
			      one->is_main ? "build" : comparable_base_name(one->path)),
		    a, b, AFFECTS_COUNTS);

	if (!before || !after)
		fact->state = COMPARABLE_NOT_LOADED;
	else if (!*a || !*b)
		fact->state = COMPARABLE_NO_BUILD_ID;
	free(a);
	free(b);
}

static void add_modules(struct comparable *c, const struct module_map *before,
			const struct module_map *after)
{
	for (size_t i = 0; i < module_map_count(before); i++) {
		const struct module *module = module_map_get(before, i);

		if (find_module(before, module) == module) /* the first of its name */
			add_module(c, module, find_module(after, module));
	}
	for (size_t i = 0; i < module_map_count(after); i++) {
		const struct module *module = module_map_get(after, i);

		if (find_module(after, module) == module && !find_module(before, module))
			add_module(c, NULL, module);
	}
}

static const char *completeness(const struct trace *trace)
{
	if (trace_is_damaged(trace))
		return "damaged";
	return trace_is_complete(trace) ? "complete" : "not complete";
}

static void add_completeness(struct comparable *c, const struct trace *before,
			     const struct trace *after)
{
	struct comparable_fact *fact = add(c, xstrdup("events"), completeness(before),
					   completeness(after), AFFECTS_COUNTS);

	fact->is_reason = strcmp(fact->before, "complete") || strcmp(fact->after, "complete");
	c->is_comparable = c->is_comparable && !fact->is_reason;
}

static void add_depth(struct comparable *c, const struct trace *before, const struct trace *after)
{
	char *a = xasprintf("%u", trace_header(before)->depth);
	char *b = xasprintf("%u", trace_header(after)->depth);

	add(c, xstrdup("depth"), a, b, AFFECTS_STACKS);
	free(a);
	free(b);
}

void comparable_build(struct comparable *c, const struct trace *before, const struct trace *after)
{
	const char *a = trace_exe(before), *b = trace_exe(after);

	*c = (struct comparable){ .is_comparable = true };
	set_reason(c, add(c, xstrdup("program"), a ? comparable_base_name(a) : NULL,
			  b ? comparable_base_name(b) : NULL, AFFECTS_COUNTS));
	add_completeness(c, before, after);
	add_arguments(c, before, after);
	add_environment(c, trace_environment(before), trace_environment(after),
			is_same_allocator(before, after));
	add_variables(c, trace_environment(before), trace_environment(before),
		      trace_environment(after));
	add_variables(c, trace_environment(after), trace_environment(before),
		      trace_environment(after));
	add_depth(c, before, after);
	add_modules(c, trace_modules(before), trace_modules(after));
}

/* --- a result of xalloc rss */

/* The variables without our own library. */
static void add_native_variables(struct strlist *to, const struct strlist *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const char *variable = environment_variable(from->text[i]);
		char *value, *rest, *word, *kept = xstrdup("");

		if (!variable || strncmp(variable, "LD_PRELOAD=", strlen("LD_PRELOAD="))) {
			strlist_take(to, xstrdup(from->text[i]));
			free(kept);
			continue;
		}
		value = xstrdup(variable + strlen("LD_PRELOAD="));
		for (word = strtok_r(value, ": ", &rest); word;
		     word = strtok_r(NULL, ": ", &rest)) {
			char *longer = xasprintf("%s%s%s", kept, *kept ? ":" : "", word);

			if (!strcmp(comparable_base_name(word), OUR_NAME)) {
				free(longer);
				continue;
			}
			free(kept);
			kept = longer;
		}
		if (*kept)
			strlist_take(to, environment_make("LD_PRELOAD", kept));
		free(kept);
		free(value);
	}
}

/* The program by its whole path, a library as find_module does. build_id: hexadecimal, or "". */
static const struct rss_module *find_rss_module(const struct rss_file *rss, const char *path,
						bool is_program, const char *build_id)
{
	const struct rss_module *found = NULL, *build = NULL;

	for (size_t i = 0; i < rss->modules; i++) {
		const char *other = rss->module[i].path;

		if (is_program ? !strcmp(other, path)
			       : !strcmp(comparable_base_name(other), comparable_base_name(path)))
			return &rss->module[i];
		if (!found && !is_program && is_same_library(other, path))
			found = &rss->module[i];
		if (!build && !is_program && *build_id &&
		    !strcmp(rss->module[i].build_id, build_id))
			build = &rss->module[i];
	}
	return found ? found : build;
}

static bool is_same_rss_allocator(const struct rss_file *rss, const struct trace *trace)
{
	const char *path = environment_value(&rss->environment, "allocator");
	const struct rss_module *native = path ? find_rss_module(rss, path, false, "") : NULL;
	char *traced = allocator_build(trace_modules(trace), trace_environment(trace));
	const bool is_same = native && *traced && !strcmp(native->build_id, traced);

	free(traced);
	return is_same;
}

/* Of modules of both; what only one has does not matter, for a breakdown has only what was there at
 * its moment. */
static void add_rss_modules(struct comparable *c, const struct rss_file *rss,
			    const struct module_map *map)
{
	for (size_t i = 0; i < module_map_count(map); i++) {
		const struct module *module = module_map_get(map, i);
		const char *name = comparable_base_name(module->path);
		char *build_id = text_hex(module->build_id, module->build_id_bytes);
		const struct rss_module *other = find_rss_module(
			rss, module->is_main ? rss->exe : module->path, module->is_main, build_id);
		struct comparable_fact *fact;

		if (strcmp(name, OUR_NAME) && other && find_module(map, module) == module) {
			fact = add(c,
				   module->is_main ? xstrdup("program build")
						   : xasprintf("module %s", name),
				   other->build_id, build_id, AFFECTS_COUNTS | AFFECTS_RESIDENT);
			if (!*fact->before || !*fact->after)
				fact->state = COMPARABLE_NO_BUILD_ID;
		}
		free(build_id);
	}
}

static void add_rss_program(struct comparable *c, const struct rss_file *rss,
			    const struct trace *trace, const char *end)
{
	char *a = join_arguments(rss->argv.text, rss->argv.count);
	char *b = join_arguments(trace_argv(trace), trace_argc(trace));
	const char *exe = *rss->exe ? rss->exe : rss->path;
	struct comparable_fact *fact;

	add(c, xstrdup("program"), comparable_base_name(exe),
	    trace_exe(trace) ? comparable_base_name(trace_exe(trace)) : NULL, AFFECTS_COUNTS);
	fact = add(c, xstrdup("arguments"), a, b, AFFECTS_COUNTS);
	/* after exec they are others than those that xalloc rss was given */
	if (trace_header(trace)->image || !rss->argv.count || !trace_argc(trace))
		fact->state = COMPARABLE_NOT_OBSERVED;
	else
		fact->state = strcmp(a, b) ? COMPARABLE_DIFFERENT : COMPARABLE_EQUAL;
	free(a);
	free(b);
	add(c, xstrdup("end"), rss->end, end, AFFECTS_COUNTS);
}

/* Is the library of that path, natively, the one of the other path in the trace? */
static bool is_same_file(const struct rss_file *rss, const struct module_map *map, const char *path,
			 const char *other)
{
	const struct rss_module *native = find_rss_module(rss, path, false, "");

	if (!strcmp(path, other))
		return true;
	for (size_t i = 0; native && *native->build_id && i < module_map_count(map); i++) {
		const struct module *module = module_map_get(map, i);
		char *build_id = text_hex(module->build_id, module->build_id_bytes);
		const bool is_same =
			!strcmp(comparable_base_name(module->path), comparable_base_name(other)) &&
			!strcmp(build_id, native->build_id);

		free(build_id);
		if (is_same)
			return true;
	}
	return false;
}

/* What is preloaded may be called otherwise, and be the same builds in the same order. */
static void compare_preloads(struct comparable_fact *fact, const struct rss_file *rss,
			     const struct module_map *map)
{
	static const char between[] = ": ";
	char *a = xstrdup(fact->before), *b = xstrdup(fact->after), *a_rest, *b_rest;
	char *one = strtok_r(a, between, &a_rest), *other = strtok_r(b, between, &b_rest);

	while (one && other && is_same_file(rss, map, one, other)) {
		one = strtok_r(NULL, between, &a_rest);
		other = strtok_r(NULL, between, &b_rest);
	}
	if (!one && !other)
		fact->state = COMPARABLE_EQUAL;
	free(a);
	free(b);
}

void comparable_build_rss(struct comparable *c, const struct rss_file *rss,
			  const struct trace *trace, const char *end)
{
	struct strlist variables = { .text = NULL };
	struct comparable_fact *fact;

	*c = (struct comparable){ .is_comparable = true };
	add_rss_program(c, rss, trace, end);
	add_native_variables(&variables, trace_environment(trace));
	add_environment(c, &rss->environment, &variables, is_same_rss_allocator(rss, trace));
	add_variables(c, &rss->environment, &rss->environment, &variables);
	add_variables(c, &variables, &rss->environment, &variables);
	add_rss_modules(c, rss, trace_modules(trace));
	for (size_t i = 0; i < c->facts; i++)
		if (!strcmp(c->fact[i].name, "LD_PRELOAD"))
			compare_preloads(&c->fact[i], rss, trace_modules(trace));
	for (size_t i = 0; i < c->facts; i++)
		if (strcmp(c->fact[i].name, "kernel") && strcmp(c->fact[i].name, "cpu") &&
		    strcmp(c->fact[i].name, "cgroup_memory_max"))
			set_reason(c, &c->fact[i]);
	fact = add(c, xstrdup("events"), "complete", completeness(trace), AFFECTS_COUNTS);
	set_reason(c, fact);
	strlist_release(&variables);
}

void comparable_release(struct comparable *c)
{
	for (size_t i = 0; i < c->facts; i++) {
		free(c->fact[i].name);
		free(c->fact[i].before);
		free(c->fact[i].after);
	}
	free(c->fact);
	*c = (struct comparable){ .facts = 0 };
}
