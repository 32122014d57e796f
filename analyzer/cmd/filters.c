/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/filters.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/report/frame_names.h"
#include "analyzer/report/rules.h"
#include "analyzer/report/stack_filter.h"

static bool has_stack_filter(const struct options *options)
{
	return options->function || options->module || options->group;
}

bool filters_are_given(const struct options *options)
{
	return !selection_rule_is_empty(&options->selection) || has_stack_filter(options);
}

int filters_check(const struct options *options, struct err *err)
{
	const struct selection_rule *rule = &options->selection;

	if (rule->has_at && (rule->has_from || rule->has_to))
		return err_set(err, "--at excludes --from and --to");
	if (rule->has_from && rule->has_to && rule->from > rule->to)
		return err_set(err, "--from is after --to");
	if (options->group && !options->rules)
		return err_set(err, "--group needs --rules RULES.json");
	return 0;
}

/* The stacks of one group, of those that are left. */
static int keep_group(struct stack_filter *filter, const struct result *first,
		      const struct options *options, const struct frame_names *names,
		      struct err *err)
{
	struct rules rules;
	int ret = rules_read(&rules, options->rules, err);

	if (!ret && !rules_has_group(&rules, options->group))
		ret = err_set(err, "--group: there is no group \"%s\" in %s", options->group,
			      options->rules);
	if (!ret)
		stack_filter_keep(filter, first, &rules, options->group, names);
	rules_release(&rules);
	return ret;
}

/* Those with a frame that one pattern of the command line matches. */
static int keep_pattern(struct stack_filter *filter, const struct result *first, const char *option,
			const char *pattern, const struct frame_names *names, struct err *err)
{
	struct rules rules;
	struct err why;
	int ret = rules_init_all(&rules, "selected", &pattern, 1, &why);

	if (ret)
		err_set(err, "--%s: \"%s\": %s", option, pattern, why.text);
	else
		stack_filter_keep(filter, first, &rules, "selected", names);
	rules_release(&rules);
	return ret;
}

static int find_stacks(struct stack_filter *filter, const struct result *first,
		       const struct options *options, const struct frame_names *names,
		       struct err *err)
{
	char *module = options->module ? xasprintf("module:%s", options->module) : NULL;
	int ret = 0;

	if (options->function)
		ret = keep_pattern(filter, first, "function", options->function, names, err);
	if (!ret && module)
		ret = keep_pattern(filter, first, "module", module, names, err);
	if (!ret && options->group)
		ret = keep_group(filter, first, options, names, err);
	free(module);
	return ret;
}

/* The first replay: from the file again, for a trace can be replayed only once. */
static int read_stacks(struct stack_filter *filter, const char *path, const struct options *options,
		       struct err *err)
{
	struct symbolizer_options symbols;
	struct frame_names *names;
	struct trace *trace;
	struct result first;
	int ret;

	if (trace_open(&trace, path, err))
		return -1;
	replay_with_progress(trace, &first, NULL);
	symbols = analysis_symbols(options, trace);
	names = frame_names_new(trace, &symbols);
	stack_filter_init(filter, &first, trace_header(trace)->depth);
	ret = find_stacks(filter, &first, options, names, err);
	first.tree = NULL;
	frame_names_free(names);
	result_release(&first);
	trace_close(trace);
	if (!ret && !filter->matching)
		print_error("%s: warning: no stack is selected", path);
	return ret;
}

static int replay_selected(struct trace *trace, struct stack_filter *stacks,
			   const struct selection_view *view, struct result *result,
			   struct filtered *filtered, uint32_t **where, struct err *err)
{
	struct selection selection;
	int ret = 0;

	if (selection_init(&selection, trace, &filtered->rule, view, err))
		return -1;
	replay_with_progress(trace, result, &selection.tap);
	if (filtered->rule.has_stack && !stack_filter_agrees(stacks, result->tree)) {
		ret = err_set(err, "%s: it changed while it was read twice: try again",
			      trace_path(trace));
		result_release(result);
	} else {
		filtered->whole = result->totals;
		selection_finish(&selection, result, where);
		if (!filtered->rule.has_stack && !result->totals.allocation_calls &&
		    !result->totals.failed_calls && filtered->whole.allocation_calls)
			print_error("%s: warning: no call is selected", trace_path(trace));
	}
	selection_release(&selection);
	return ret;
}

static int check_thread(const struct trace *trace, const struct selection_rule *rule,
			struct err *err)
{
	if (!rule->thread_name || thread_names_has(trace_thread_names(trace), rule->thread_name))
		return 0;
	return err_set(err, "%s: no thread is called \"%s\" (threads lists them)",
		       trace_path(trace), rule->thread_name);
}

int filters_replay(struct trace *trace, const struct options *options,
		   const struct selection_view *view, struct result *result,
		   struct filtered *filtered, uint32_t **where, struct err *err)
{
	struct stack_filter stacks = { .tree = NULL };
	int ret = 0;

	*filtered = (struct filtered){ .rule = options->selection,
				       .function = options->function,
				       .module = options->module,
				       .group = options->group,
				       .rules = options->group ? options->rules : NULL };
	ret = check_thread(trace, &options->selection, err);
	if (!ret && has_stack_filter(options)) {
		ret = read_stacks(&stacks, trace_path(trace), options, err);
		filtered->rule.has_stack = stack_filter_has;
		filtered->rule.owner = &stacks;
	}
	if (!ret)
		ret = replay_selected(trace, &stacks, view, result, filtered, where, err);
	filtered->rule.has_stack = NULL;
	stack_filter_release(&stacks);
	return ret;
}
