/* SPDX-License-Identifier: GPL-3.0-or-later */
	.text

/* void by_rbx(void (*fn)(void)): realigns its stack and finds its frame by rbx, as the loader does
 * while it resolves a function. by_r12 the same. */
	.macro by register
	.globl by_\register
	.type by_\register, @function
by_\register:
	.cfi_startproc
	pushq %\register
	.cfi_def_cfa_offset 16
	.cfi_offset \register, -16
	movq %rsp, %\register
	.cfi_def_cfa_register \register
	subq $200, %rsp
	andq $-64, %rsp
	callq *%rdi
	movq %\register, %rsp
	.cfi_def_cfa_register rsp
	popq %\register
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size by_\register, .-by_\register
	.endm

	by rbx
	by r12

/* void by_expression(void (*fn)(void)): keeps the address of its frame in a word of it. */
	.globl by_expression
	.type by_expression, @function
by_expression:
	.cfi_startproc
	movq %rsp, %rax
	.cfi_def_cfa_register rax
	subq $120, %rsp
	andq $-32, %rsp
	movq %rax, 16(%rsp)
	/* def_cfa_expression, 6 bytes: breg7 (rsp) 16, deref, plus_uconst 8, nop */
	.cfi_escape 0x0f, 6, 0x77, 16, 0x06, 0x23, 8, 0x96
	callq *%rdi
	movq 16(%rsp), %rsp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size by_expression, .-by_expression

/* void in_register(void (*fn)(void)): its caller's rbp is in r13 while rbp is a number. */
	.globl in_register
	.type in_register, @function
in_register:
	.cfi_startproc
	pushq %r13
	.cfi_def_cfa_offset 16
	.cfi_offset r13, -16
	movq %rbp, %r13
	.cfi_register rbp, r13
	movl $12345, %ebp
	callq *%rdi
	movq %r13, %rbp
	.cfi_restore rbp
	popq %r13
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size in_register, .-in_register

	.section .note.GNU-stack, "", @progbits
