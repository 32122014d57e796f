/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/anonymous.h"

#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/rewrite.h"
#include "analyzer/trace/anonymize.h"

int anonymous_trace(struct trace *trace, const char *path, const char *name,
		    const struct pseudonyms *pseudonyms, struct err *err)
{
	struct result result;
	int ret;

	if (trace_is_live(trace))
		return err_set(err, "%s: its process is still running", trace_path(trace));
	replay_with_progress(trace, &result, NULL);
	if (trace_is_damaged(trace))
		ret = err_set(err, "%s: it is damaged; only a whole trace can be made anonymous",
			      trace_path(trace));
	else
		ret = anonymize_write(trace, path, name, pseudonyms, err);
	if (!ret)
		ret = rewrite_check_result(&result, path, name, err);
	result_release(&result);
	return ret;
}
