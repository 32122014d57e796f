/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What around the program may change its memory: the same facts, in the same words, that a trace
 * has (preload/surroundings.h), so that the two can be compared.
 */
#ifndef XALLOC_RSS_NATIVE_H
#define XALLOC_RSS_NATIVE_H

#include <stdint.h>

#include "preload/launch/target.h"

struct native_facts {
	char kernel[160], cpu[160], thp[64], cgroup_memory_max[64], libc[64];
	const char *allocator; /* libc's, or the path of the allocator that was mapped */
	char **variables;      /* NAME=VALUE, of the program's environment; NULL ends them */
	unsigned cpus;
	uint64_t page_bytes;
	int version; /* of Linux: 6017 is 6.17; 0: not known */
};

/* After the runs: libc and allocator are found among the mapped files. */
void native_read(struct native_facts *facts, char **environment);

/*
 * By how much VmHWM may be off, and statm: the kernel counts resident pages apart, by processor as
 * of Linux 6.2, by thread before, and brings them together now and then. As of 6.17 what /proc
 * reads is summed exactly; the high-water mark is still noted by the sum that is at hand.
 */
uint64_t native_hwm_error(const struct native_facts *facts, uint64_t threads);
uint64_t native_statm_error(const struct native_facts *facts, uint64_t threads);

/* Why the program shall not be traced: it has rights that the kernel does not give to who is
 * traced, or it traces somebody itself. NULL: nothing is known against it. */
const char *native_untraceable(const struct target *target);

#endif
