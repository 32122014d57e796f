/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/commands.h"

#include <stddef.h>

#include "analyzer/cmd/filters.h"

#define SUPPRESS_HELP \
	"  --suppress FILE    what LeakSanitizer's suppressions (leak:PATTERN) take is not leaked\n"

#define NAMES_HELP "  --full-names       long names of C++ functions whole\n"

const struct command commands[] = {
	{ .name = "summary",
	  .arguments = "TRACE...",
	  .what = "print totals, the peak and the largest stacks",
	  .help = "  --full-names       long names of C++ functions whole, in the text report\n"
		  "  --fold-std         without operator new, allocators and the like in stacks\n"
		  "  --largest          of several traces, or a folder, the report of the one with the\n"
		  "                     most allocation calls and of that with the greatest peak only\n"
		  SUPPRESS_HELP
		  "  Of several traces the tree of their processes comes first; of a FOLDER in\n"
		  "  place of a TRACE it is all. --json prints the tree, as one object, for both.\n",
	  .takes = "full-names fold-std largest suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .is_one_object = true,
	  .run = cmd_summary },
	{ .name = "folded",
	  .arguments = "[--metric M] TRACE...",
	  .what = "print collapsed stacks, for flame graphs",
	  .help = "  --metric M         peak, calls, bytes, leaked or temporary (default: peak)\n"
		  "  --fold-std         without operator new, allocators and the like in stacks\n"
		  SUPPRESS_HELP,
	  .takes = "metric fold-std suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .run = cmd_folded },
	{ .name = "groups",
	  .arguments = "--rules RULES.json [--suppress FILE] TRACE...",
	  .what = "sum up stacks by rules",
	  .help = "  --rules RULES.json the groups, in their order; the first that fits takes a stack\n"
		  "  --metric M         the largest group by M first (default: as in the rules)\n"
		  "  --explain GROUP    show its stacks, and which patterns matched; by M (default: "
		  "peak)\n"
		  "  --suppress FILE    LeakSanitizer's suppressions (leak:PATTERN), for what is "
		  "leaked\n"
		  NAMES_HELP,
	  .takes = "metric explain suppress full-names " FILTER_OPTIONS,
	  .run = cmd_groups },
	{ .name = "phases",
	  .arguments = "[--mark-function NAME]... TRACE",
	  .what = "print what each phase did that the program told of, its dumps and pools",
	  .help = "  --mark-function NAME  also what was allocated below the function NAME, a pattern "
		  "of\n"
		  "                     rules; a stack with several is of the first\n"
		  SUPPRESS_HELP,
	  .takes = "mark-function suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .max_paths = 1,
	  .run = cmd_phases },
	{ .name = "growth",
	  .arguments = "TRACE",
	  .what = "print stacks whose live bytes grow from iteration to iteration",
	  .help = NAMES_HELP
		  "  Iterations are what the program marks with xalloc_iteration(): xalloc.h.\n",
	  .takes = "full-names " FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_growth },
	{ .name = "slope",
	  .arguments = "--n1 N --n2 N [--n3 N ...] TRACE TRACE [TRACE ...]",
	  .what = "print what one more unit of work costs, from runs of different length",
	  .help = "  --n1 N, --n2 N ... how much work the first, second ... TRACE did, --n1 to --n9\n",
	  .takes = "n1 n2 n3 n4 n5 n6 n7 n8 n9 " FILTER_OPTIONS,
	  .needs = "--n1 --n2",
	  .min_paths = 2,
	  .max_paths = 9,
	  .is_one_object = true,
	  .run = cmd_slope },
	{ .name = "timeline",
	  .arguments = "TRACE",
	  .what = "print live bytes over time",
	  .takes = FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_timeline },
	{ .name = "sizes",
	  .arguments = "TRACE",
	  .what = "print what sizes are requested, and what the allocator adds",
	  .help = NAMES_HELP,
	  .takes = "full-names " FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_sizes },
	{ .name = "lifetimes",
	  .arguments = "TRACE",
	  .what = "print how long blocks live, by what is allocated meanwhile",
	  .help = NAMES_HELP,
	  .takes = "full-names " FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_lifetimes },
	{ .name = "growth-copies",
	  .arguments = "TRACE",
	  .what = "print blocks that grow step by step, and what one reserve would save",
	  .help = NAMES_HELP,
	  .takes = "full-names " FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_growth_copies },
	{ .name = "threads",
	  .arguments = "TRACE",
	  .what = "print which thread allocates what another gives back",
	  .takes = FILTER_OPTIONS,
	  .max_paths = 1,
	  .run = cmd_threads },
	{ .name = "diff",
	  .arguments = "OLD NEW",
	  .what = "print what changed, and whether the two are comparable",
	  .help = "  --old OLD..., --new NEW...  several runs on each side: a change is what lies "
		  "outside\n"
		  "                     both spreads\n"
		  "  --metric M         this table only\n"
		  "  --rules RULES.json what changed in each group, too\n"
		  SUPPRESS_HELP,
	  .takes = "metric old new suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .is_one_object = true,
	  .run = cmd_diff },
	{ .name = "spread",
	  .arguments = "TRACE...",
	  .what = "print what is the same in all of several runs, and what varies",
	  .help = SUPPRESS_HELP,
	  .takes = "suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .is_one_object = true,
	  .run = cmd_spread },
	{ .name = "check",
	  .arguments = "--budget BUDGET.json TRACE...",
	  .what = "compare with a budget, for CI",
	  .help = "  --budget BUDGET.json  the limits\n"
		  "  --baseline TRACE   what to compare with, where the budget names nothing else\n"
		  "  --rss RSS.json     what xalloc rss -o wrote; may stand among the traces, too\n"
		  SUPPRESS_HELP
		  "  --allow-signal     judge a process that a signal ended, with a warning\n"
		  "  --junit FILE, --sarif FILE, --markdown FILE\n"
		  "                     write the result in these forms, too\n"
		  "  --github           print annotations for GitHub Actions, too\n"
		  "  --source-root DIR  paths in annotations are from here (default: where it runs)\n"
		  "  --sensitivity BASE DOUBLED, --factor N\n"
		  "                     would the budget of BASE notice N times (default: 2) its work?\n",
	  .takes = "budget baseline rss allow-signal junit sarif markdown github source-root "
		   "sensitivity factor full-names suppress",
	  .suppresses = true,
	  .needs = "--budget BUDGET.json",
	  .is_one_object = true,
	  .no_filter = "its limits say themselves of which group, function, thread or phase they are",
	  .run = cmd_check },
	{ .name = "budget",
	  .arguments = "init|ratchet TRACE...",
	  .what = "write a budget from runs, or lower one to what they reached",
	  .help = "  init [-o BUDGET.json] [--rules RULES.json] [--rss RSS.json] TRACE...\n"
		  "                     equality for what is the same in all, else a bound\n"
		  "  ratchet --budget BUDGET.json [-o BUDGET.json] TRACE...\n"
		  "                     lower each max to what was reached; never raise one\n"
		  SUPPRESS_HELP,
	  .takes = "budget output rules rss allow-signal baseline suppress",
	  .suppresses = true,
	  .verbs = "init ratchet",
	  .is_one_object = true,
	  .no_filter = "its limits say themselves of which group, function, thread or phase they are",
	  .run = cmd_budget },
	{ .name = "reconcile",
	  .arguments = "--rss RSS.json TRACE",
	  .what = "compare with resident memory",
	  .help = "  --rss RSS.json     what xalloc rss -o wrote of the same program; of several "
		  "pairs\n"
		  "                     (--rss A.json a.zst --rss B.json b.zst ...) a line, too\n"
		  "  --svg              a picture in place of the text, of one pair\n"
		  "  --top N            so many files, the rest as one\n",
	  .takes = "rss svg",
	  .needs = "--rss RSS.json",
	  .is_one_object = true,
	  .no_filter = "resident memory is of the whole process",
	  .run = cmd_reconcile },
	{ .name = "resident",
	  .arguments = "[--snapshot N] TRACE",
	  .what = "print what of the live blocks was in memory, by stack, at a snapshot",
	  .help = "  --snapshot N       that one (default: the one with most resident memory)\n"
		  NAMES_HELP,
	  .takes = "snapshot full-names",
	  .max_paths = 1,
	  .no_filter = "a page of a snapshot may be of several blocks, selected and others",
	  .run = cmd_resident },
	{ .name = "pinners",
	  .arguments = "[--snapshot N] TRACE",
	  .what = "print which live blocks keep pages in memory that are free otherwise",
	  .help = "  --snapshot N       that one (default: the one with most resident memory)\n"
		  NAMES_HELP,
	  .takes = "snapshot full-names",
	  .max_paths = 1,
	  .no_filter = "a page of a snapshot may be of several blocks, selected and others",
	  .run = cmd_pinners },
	{ .name = "verify",
	  .arguments = "TRACE...",
	  .what = "compute every figure in a second way, check the file",
	  .no_filter = "it checks the whole trace",
	  .run = cmd_verify },
	{ .name = "export",
	  .arguments = "--format F -o OUT TRACE",
	  .what = "write files for other tools" },
	{ .name = "html",
	  .arguments = "-o OUT.html [--rss RSS.json] TRACE",
	  .what = "write one self-contained page: figures, flame graphs, tables, resident memory",
	  .help = "  -o, --output OUT.html  what it replaces must be such a page, too\n"
		  "  --rss RSS.json     what xalloc rss -o wrote of the same program: a picture of it, too\n"
		  "  --fold-std         without operator new, allocators and the like in stacks\n"
		  SUPPRESS_HELP NAMES_HELP,
	  .takes = "output rss fold-std full-names suppress " FILTER_OPTIONS,
	  .suppresses = true,
	  .needs = "-o OUT.html",
	  .max_paths = 1,
	  .run = cmd_html },
	{ .name = "compact",
	  .arguments = "-o SMALL [--drop WHAT] TRACE",
	  .what = "write a smaller trace that says the same",
	  .help = "  -o, --output SMALL the new trace; what it replaces must be a trace, too\n"
		  "  --drop WHAT        addresses, stamps or both (addresses,stamps): much smaller; "
		  "which\n"
		  "                     block was which, or times, are not available then\n",
	  .takes = "output drop",
	  .needs = "-o SMALL",
	  .max_paths = 1,
	  .no_filter = "it writes a whole trace, of which reports can select a part",
	  .run = cmd_compact },
	{ .name = "symbols",
	  .arguments = "TRACE...",
	  .what = "list modules, how many addresses have names, from which files, and why not",
	  .no_filter = "it lists the addresses of the whole trace",
	  .run = cmd_symbols },
	{ .name = "bundle-symbols",
	  .arguments = "-o OUT TRACE",
	  .what = "write the names of a trace's addresses into one file, for another machine",
	  .help = "  -o, --output OUT   the bundle; what it replaces must be one, too. Called\n"
		  "                     TRACE.symbols it is found by itself\n",
	  .takes = "output",
	  .needs = "-o OUT",
	  .max_paths = 1,
	  .no_filter = "it has the names of the whole trace, of which reports can select a part",
	  .run = cmd_bundle_symbols },
	{ .name = "anonymize",
	  .arguments = "-o OUT TRACE",
	  .what = "write a trace with the same figures and other names",
	  .help = "  -o, --output OUT   the new trace, compact; what it replaces must be a trace, too.\n"
		  "                     The names of its addresses go to OUT.symbols\n",
	  .takes = "output",
	  .needs = "-o OUT",
	  .max_paths = 1,
	  .no_filter = "it writes a whole trace, of which reports can select a part",
	  .run = cmd_anonymize },
	{ .name = "evidence",
	  .arguments = "pack -o DIR TRACE... | verify DIR | unpack -o OUT DIR",
	  .what = "keep traces so that others can check every byte and figure",
	  .help = "  pack               originals (traces, results of xalloc rss) in pieces, tables\n"
		  "                     that follow from them, hashes of all\n"
		  "  verify             do all of it again; exit status 1 when anything differs\n"
		  "  unpack             put the originals together again\n"
		  "  -o, --output DIR   a new folder\n"
		  "  --max-size BYTES   no file is larger but for index.json and SHA256SUMS\n"
		  "                     (default: 500K, which is 500,000; M: a million)\n"
		  "  --rules RULES.json a table of groups for each trace, too\n"
		  "  --anonymize        other names in all of it, as anonymize does; groups keep theirs\n",
	  .takes = "output max-size rules anonymize",
	  .verbs = "pack verify unpack",
	  .is_one_object = true,
	  .no_filter = "it keeps whole traces, of which reports can select a part",
	  .run = cmd_evidence },
	{ .name = NULL },
};
