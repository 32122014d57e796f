/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/early.h"

#include <sys/uio.h>

#include "preload/real.h"
#include "preload/sys/syscall.h"
#include "preload/tls.h"

#define POOL_BYTES EARLY_POOL_BYTES
#define OURS_BYTES EARLY_OURS_BYTES
#define NOTES_MAX 128u
#define STACK_COPY_BYTES 8192u

/* Right before each block. */
struct early_head {
	uint64_t size, padding;
};

/* Ours behind the program's. */
_Alignas(16) uint8_t early_pool[POOL_BYTES + OURS_BYTES];
static uint32_t used, used_ours = POOL_BYTES;

static struct early_note notes[NOTES_MAX];
static _Alignas(16) uint8_t stacks[NOTES_MAX][STACK_COPY_BYTES];
static uint32_t count, missed;

static int calls_out(void)
{
	return tls_is_ready() && tls.guard & GUARD_OUT;
}

static void note(enum xt_op op, enum xt_fn fn, uint64_t size, const void *p, const void *old,
		 const uint64_t *fp)
{
	struct early_note *n = &notes[count];
	struct iovec to, from;
	long copied;

	if (calls_out())
		return;
	if (count == NOTES_MAX) {
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
		to = (struct iovec){ stacks[count], STACK_COPY_BYTES };
		from = (struct iovec){ (void *)(uintptr_t)n->stack.sp, STACK_COPY_BYTES };
		copied = sys_call6(SYS_process_vm_readv, sys_call0(SYS_getpid), (long)&to, 1,
				   (long)&from, 1, 0);
		n->stack.bytes = copied > 0 ? (uint64_t)copied & ~7ull : 0;
	}
	count++;
}

static void *take(size_t size, size_t align)
{
	uint32_t *const from = calls_out() ? &used_ours : &used;
	const uint32_t end = calls_out() ? POOL_BYTES + OURS_BYTES : POOL_BYTES;
	uintptr_t at = (uintptr_t)early_pool + *from + sizeof(struct early_head);

	if (align < 16)
		align = 16;
	if (align > end || size > end)
		return NULL;
	at = (at + align - 1) & ~(uintptr_t)(align - 1);
	if (at + size > (uintptr_t)early_pool + end)
		return NULL;
	((struct early_head *)at - 1)->size = size;
	*from = (uint32_t)((at + size + 15 - (uintptr_t)early_pool) & ~15ul);
	return (void *)at;
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

int early_is_ours(const void *p)
{
	return (uintptr_t)p - (uintptr_t)early_pool - POOL_BYTES < OURS_BYTES;
}

size_t early_size(const void *p)
{
	return ((const struct early_head *)p - 1)->size;
}

uint32_t early_each(void (*fn)(void *, const struct early_note *), void *arg)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		notes[i].stack.stack = stacks[i];
		fn(arg, &notes[i]);
	}
	return missed;
}
