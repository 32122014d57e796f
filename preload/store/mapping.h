/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of the trace file: shared, not inherited over fork, made again from one another
 * without a descriptor. Changed under the file's lock only; looked at in a fork child.
 */
#ifndef XALLOC_STORE_MAPPING_H
#define XALLOC_STORE_MAPPING_H

#include <stdint.h>

enum mapping_kind { MAPPING_SEGMENT, MAPPING_WINDOW0, MAPPING_LATE_WINDOW };

/* [offset, offset + bytes) of the open file; NULL: the kernel will not, *error says why (negative
 * errno). */
uint8_t *mapping_new(int fd, uint64_t offset, uint64_t bytes, enum mapping_kind kind, int *error);

/*
 * [offset, offset + bytes) of the file that is mapped at `known` with the offset known_offset;
 * offset is not before that. mremap with an old size of 0 maps the same file again from a page on;
 * for a page that is not mapped a long mapping in between is made and given up. known_bytes is the
 * length of what is mapped there.
 */
uint8_t *mapping_again(uint8_t *known, uint64_t known_offset, uint64_t known_bytes, uint64_t offset,
		       uint64_t bytes, enum mapping_kind kind);

/*
 * What is mapped at base shows the file from `offset` on; 0 or a negative errno. It needs no
 * addresses (remap_file_pages: kernels say once in their log that it is an old call, so it is for
 * when others fail).
 */
int mapping_move(uint8_t *base, uint64_t offset);

void mapping_free(uint8_t *base);
void mapping_free_all(void);

/* In a fork child: there are none. */
void mapping_forget_all(void);

/* Calls fn for those it was not called for yet. Without the file's lock, which fn may need. */
void mapping_tell(void (*fn)(uint64_t start, uint64_t end, uint32_t what));

/* In a fork child: private pages where the mappings were, as far as nothing else has come there. */
void mapping_lay_private(void);

/*
 * Private zero pages over all late windows, for who still looks at one; of those at or behind
 * `offset` in the file the bytes become zeros first.
 */
void mapping_drop_windows(uint64_t offset);

#endif
