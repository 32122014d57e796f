# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# Each line is a budget.
while read -r budget; do
	printf '%s\n' "$budget" >budget.json
	xalloc-report check --budget budget.json small.zst && echo 'this is right?'
done <<'END' 2>&1
{"schema": "xalloc-budget/1", "limits": [}
{"schema": "xalloc-budget/2", "limits": [{"metric": "peak_bytes", "max": 1}]}
[]
{"schema": "xalloc-budget/1"}
{"schema": "xalloc-budget/1", "limits": []}
{"schema": "xalloc-budget/1", "limits": [], "limits": []}
{"schema": "xalloc-budget/1", "limit": [{"metric": "peak_bytes", "max": 1}]}
{"schema": "xalloc-budget/1", "limits": [1]}
{"schema": "xalloc-budget/1", "limits": [{"max": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak", "max": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": 3, "max": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "maximum": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": -1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": true}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "3 MiBB"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "three"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "0x1F"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "1.2.3"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "1e6"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "5%"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "allocation_calls", "max": "3 KiB"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "allocation_calls", "max": 3}, {"metric": "peak_bytes", "min": "x"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "group": "a"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "group": ""}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "function": "/a(/"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "free_calls", "max": 1, "function": "main"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "live_bytes", "max": 1, "function": "main", "phase": "start"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "threads", "max": 1, "phase": "start"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "per": "iteration"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "allocation_calls", "max": 1, "per": "second"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "leaked_bytes", "max": 1, "per": "iteration", "function": "main"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "live_bytes", "max": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "thread": "main"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1, "thread": -1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "free_calls", "max": 1, "thread": 0}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "failed_calls", "max": 1, "thread": 0, "phase": "start"}]}
{"schema": "xalloc-budget/1", "rules": 1, "limits": [{"metric": "peak_bytes", "max": 1}]}
{"schema": "xalloc-budget/1", "rules": "none.json", "limits": [{"metric": "peak_bytes", "max": 1}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max_increase": "0%", "baseline": "missing.zst"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": "1 KiB", "min": 1025}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 2, "equal": 3}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "equal": 3, "min": 4}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "temporary_ratio", "max": 10}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "temporary_ratio", "min": "101%"}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "max": 1}, {"metric": "peak_bytes", "min": 2}]}
{"schema": "xalloc-budget/1", "limits": [{"metric": "peak_bytes", "min": 2, "function": "f", "thread": "a", "phase": "b"}, {"metric": "peak_bytes", "equal": 1, "phase": "b", "thread": "a", "function": "f"}]}
END
xalloc-report check --budget none.json small.zst || echo $?
xalloc-report check --budget . small.zst || echo $?
