/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/early.h"

#include <sys/uio.h>

#include "preload/real.h"
#include "preload/sys/syscall.h"
#include "preload/sys/sysmem.h"
#include "preload/tls.h"

#define POOL_BYTES (64u << 10)
#define OURS_BYTES (256u << 10)
#define EXTENTS_MAX 24u         /* of what does not fit in the pool */
#define EXTENT_BYTES (1u << 20) /* the first one; each is twice the last */
#define NOTES_MAX 32u           /* in a block of them */
#define BLOCKS_MAX 1024u
#define STACK_COPY_BYTES 8192u

/* Right before each block. */
struct early_head {
	uint64_t size, padding;
};

/* Ours behind the program's. */
static _Alignas(16) uint8_t pool[POOL_BYTES + OURS_BYTES];
static uint32_t used, used_ours = POOL_BYTES;

static struct extent {
	uintptr_t start;
	size_t bytes, used;
} extent[EXTENTS_MAX];
static uint32_t extents;

int early_has_blocks;

struct block {
	struct early_note note[NOTES_MAX];
	_Alignas(16) uint8_t stack[NOTES_MAX][STACK_COPY_BYTES];
};
static struct block *blocks[BLOCKS_MAX];
static uint32_t count, missed;

/* NULL: there is no memory for it. *stack: its copy's. */
static struct early_note *note_at(uint32_t i, uint8_t **stack)
{
	struct block **const b = &blocks[i / NOTES_MAX];

	if (!*b)
		*b = sysmem_new(sizeof(struct block));
	if (!*b)
		return NULL;
	*stack = (*b)->stack[i % NOTES_MAX];
	return &(*b)->note[i % NOTES_MAX];
}

static int calls_out(void)
{
	return tls_is_ready() && tls.is_out;
}

static void note(enum xt_op op, enum xt_fn fn, uint64_t size, const void *p, const void *old,
		 const uint64_t *fp)
{
	struct early_note *n;
	struct iovec to, from;
	uint8_t *stack;
	long copied;

	if (calls_out())
		return;
	n = count < BLOCKS_MAX * NOTES_MAX ? note_at(count, &stack) : NULL;
	if (!n) {
		missed++;
		return;
	}
	n->op = op;
	n->fn = fn;
	n->size = size;
	n->addr = (uint64_t)(uintptr_t)p;
	n->old_addr = (uint64_t)(uintptr_t)old;
	if (fp) {
		n->stack.pc = fp[1];
		n->stack.sp = (uint64_t)(uintptr_t)(fp + 2);
		n->stack.rbp = fp[0];
		/* the stack may end before: the kernel copies what there is */
		to = (struct iovec){ stack, STACK_COPY_BYTES };
		from = (struct iovec){ (void *)(uintptr_t)n->stack.sp, STACK_COPY_BYTES };
		copied = sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&to, 1,
				   (long)&from, 1, 0);
		n->stack.bytes = copied > 0 ? (uint64_t)copied & ~7ull : 0;
	}
	count++;
}

static void *place(uintptr_t at, size_t size)
{
	((struct early_head *)at - 1)->size = size;
	early_has_blocks = 1;
	return (void *)at;
}

/* From the last extent, or a new one. */
static void *take_more(size_t size, size_t align)
{
	struct extent *e = &extent[extents ? extents - 1 : 0];
	size_t bytes = (size_t)EXTENT_BYTES << extents, need;
	uintptr_t at;

	if (__builtin_add_overflow(size, align + sizeof(struct early_head) + 4096, &need))
		return NULL;
	at = (e->start + e->used + sizeof(struct early_head) + align - 1) & ~(align - 1);
	if (!extents || at - e->start > e->bytes || size > e->bytes - (at - e->start)) {
		if (extents == EXTENTS_MAX)
			return NULL;
		e = &extent[extents];
		e->bytes = bytes < need ? need & ~4095ul : bytes;
		e->start = (uintptr_t)sysmem_new(e->bytes);
		if (!e->start)
			return NULL;
		extents++;
		at = (e->start + sizeof(struct early_head) + align - 1) & ~(align - 1);
	}
	e->used = (at + size + 15 - e->start) & ~15ul;
	return place(at, size);
}

static void *take(size_t size, size_t align)
{
	uint32_t *const from = calls_out() ? &used_ours : &used;
	const uint32_t end = calls_out() ? POOL_BYTES + OURS_BYTES : POOL_BYTES;
	uintptr_t at = (uintptr_t)pool + *from + sizeof(struct early_head);

	if (align < 16)
		align = 16;
	if (align > 1ul << 40)
		return NULL;
	at = (at + align - 1) & ~(uintptr_t)(align - 1);
	if (size > end || at + size > (uintptr_t)pool + end)
		return calls_out() ? NULL : take_more(size, align);
	*from = (uint32_t)((at + size + 15 - (uintptr_t)pool) & ~15ul);
	return place(at, size);
}

void *early_alloc(enum xt_op op, enum xt_fn fn, size_t size, size_t align, const uint64_t *fp)
{
	void *p = take(size, align);

	note(p ? op : XT_OP_FAILED, fn, size, p, NULL, fp);
	return p;
}

void *early_realloc(enum xt_fn fn, void *p, size_t size, const uint64_t *fp)
{
	uint8_t *fresh;
	size_t had, i;

	if (!p)
		return early_alloc(XT_OP_REALLOC_NULL, fn, size, 16, fp);
	if (!size) {
		early_free(p);
		return NULL;
	}
	/* what we call may go on with a block of the program's, which stays as it is */
	had = early_owns(p) ? early_size(p) : real.malloc_usable_size(p);
	fresh = take(size, 16);
	for (i = 0; fresh && i < size && i < had; i++)
		fresh[i] = ((const uint8_t *)p)[i];
	note(fresh ? XT_OP_REALLOC : XT_OP_FAILED, fn, size, fresh, fresh ? p : NULL, fp);
	return fresh;
}

void early_free(void *p)
{
	note(XT_OP_FREE, XT_FN_MALLOC, 0, p, NULL, NULL);
}

int early_owns_one(const void *p)
{
	uint32_t i;

	for (i = 0; i < extents; i++)
		if ((uintptr_t)p - extent[i].start < extent[i].bytes)
			return 1;
	return (uintptr_t)p - (uintptr_t)pool < POOL_BYTES + OURS_BYTES;
}

int early_is_ours(const void *p)
{
	return (uintptr_t)p - (uintptr_t)pool - POOL_BYTES < OURS_BYTES;
}

int early_was_used(void)
{
	return used != 0;
}

size_t early_size(const void *p)
{
	return ((const struct early_head *)p - 1)->size;
}

uint32_t early_each(void (*fn)(void *, const struct early_note *), void *arg)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint8_t *stack = NULL;
		struct early_note *n = note_at(i, &stack);

		n->stack.stack = stack;
		fn(arg, n);
	}
	return missed;
}
