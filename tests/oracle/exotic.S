/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwind information that compilers seldom write: every instruction, encoding and augmentation,
 * none of it ever run. Linked as an executable at fixed addresses, so that absolute pointers hold.
 * Each function is one case, its rows change at nops. cfi_dump compares all rows with elfutils'
 * reading.
 */
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	nop
	.cfi_endproc
	.size _start, . - _start
	.skip 300, 0x90		/* the 256 bytes of start code without CFI, and more */

	.macro case name
	.type \name, @function
\name:
	.cfi_startproc
	nop
	.endm
	.macro done
	nop
	.cfi_endproc
	.endm

	case plain
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	nop
	.cfi_def_cfa_register rbp
	nop
	.cfi_remember_state
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	nop
	.cfi_restore_state
	nop
	.cfi_adjust_cfa_offset 4096
	nop
	.cfi_same_value rbp
	done

	case nested_eight_times
	.rept 8
	.cfi_remember_state
	.cfi_adjust_cfa_offset 8
	nop
	.endr
	.rept 8
	.cfi_restore_state
	nop
	.endr
	done

	/* the CFA elsewhere, and back by half a rule */
	case cfa_elsewhere
	.cfi_def_cfa rbx, 48
	nop
	.cfi_def_cfa_register rsp
	nop
	.cfi_def_cfa_register r12
	nop
	.cfi_def_cfa_offset 64
	nop
	.cfi_def_cfa_register rbp
	nop
	.cfi_def_cfa r10, 0
	done

	/* gcc's realigned frame: CFA = *(rbp - 8), rbp at *(rbp + 0) */
	case realigned
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
	.cfi_escape 0x10, 6, 2, 0x76, 0
	nop
	.cfi_escape 0x0f, 4, 0x76, 0x80, 0x7f, 0x06
	nop
	.cfi_escape 0x10, 6, 3, 0x76, 0xf8, 0x00
	nop
	.cfi_restore rbp
	nop
	.cfi_def_cfa rsp, 8
	done

	/* expressions that are nearly those */
	case expressions
	.cfi_escape 0x0f, 2, 0x76, 0x10			/* CFA = rbp + 16 */
	nop
	.cfi_escape 0x0f, 3, 0x77, 0x10, 0x06		/* CFA = *(rsp + 16) */
	nop
	.cfi_escape 0x0f, 4, 0x76, 0x78, 0x06, 0x06	/* CFA = **(rbp - 8) */
	nop
	.cfi_escape 0x0f, 3, 0x73, 0x78, 0x06		/* CFA = *(rbx - 8) */
	nop
	.cfi_escape 0x0f, 5, 0x76, 0x78, 0x06, 0x23, 8	/* CFA = *(rbp - 8) + 8 */
	nop
	.cfi_def_cfa rsp, 8
	.cfi_escape 0x10, 6, 2, 0x77, 0			/* rbp at *(rsp) */
	nop
	.cfi_escape 0x10, 6, 2, 0x73, 0			/* rbp at *(rbx) */
	nop
	.cfi_escape 0x10, 6, 3, 0x76, 0, 0x06		/* rbp at **(rbp) */
	nop
	.cfi_escape 0x16, 6, 2, 0x76, 0			/* rbp = rbp + 0 */
	nop
	.cfi_escape 0x16, 3, 2, 0x76, 0			/* rbx = rbp + 0: does not matter */
	.cfi_restore rbp
	done

	case rbp_rules
	.cfi_undefined rbp
	nop
	.cfi_restore rbp
	nop
	.cfi_register rbp, r13
	nop
	.cfi_restore rbp
	nop
	.cfi_val_offset rbp, -16
	nop
	.cfi_same_value rbp
	nop
	.cfi_escape 0x05, 6, 4				/* offset_extended */
	nop
	.cfi_escape 0x06, 6				/* restore_extended */
	nop
	.cfi_escape 0x11, 6, 3				/* offset_extended_sf: CFA - 24 */
	nop
	.cfi_escape 0x11, 6, 0x7e			/* CFA + 16 */
	nop
	.cfi_escape 0x15, 6, 0x7e			/* val_offset_sf */
	nop
	.cfi_escape 0x2f, 6, 2				/* GNU_negative_offset_extended */
	done

	case other_registers
	.cfi_offset rbx, -16
	.cfi_undefined r15
	.cfi_register r14, rax
	.cfi_val_offset r13, 8
	.cfi_escape 0x05, 0x80, 0x01, 4			/* offset_extended of register 128 */
	.cfi_escape 0x10, 12, 3, 0x76, 0, 0x06
	nop
	.cfi_escape 0x2e, 0x90, 0x01			/* GNU_args_size */
	nop
	done

	case rsp_rules
	.cfi_val_offset rsp, 0
	nop
	.cfi_val_offset rsp, 8
	nop
	.cfi_restore rsp
	nop
	.cfi_offset rsp, -16
	nop
	.cfi_same_value rsp
	nop
	.cfi_undefined rsp
	done

	case ra_rules
	.cfi_offset rip, -16
	nop
	.cfi_offset rip, -8
	nop
	.cfi_register rip, rcx
	nop
	.cfi_restore rip
	nop
	.cfi_same_value rip
	nop
	.cfi_val_offset rip, -8
	nop
	.cfi_undefined rip
	nop
	.cfi_escape 0x11, 16, 1				/* offset_extended_sf */
	done

	/* all registers, which no row has */
	case registers_elsewhere
	.cfi_register rbx, r12
	.cfi_register r12, rbx				/* exchanged */
	.cfi_escape 0x09, 13, 40			/* one that nobody keeps */
	.cfi_val_offset r14, -24
	.cfi_same_value r10
	.cfi_offset rax, -40
	nop
	.cfi_remember_state
	.cfi_undefined r12
	.cfi_undefined rbp
	.cfi_restore r14
	nop
	.cfi_restore_state
	.cfi_def_cfa r15, -8
	nop
	.cfi_escape 0x10, 13, 2, 0x7f, 16		/* r13 at r15 + 16 */
	done

	/* rbx is what so many bytes of operations give; the CFA is on the stack */
	.macro gives bytes, operations:vararg
	.cfi_escape 0x16, 3, \bytes, \operations
	nop
	.endm
	case operations
	.irp op, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25, 0x26, 0x27, 0x29, 0x2a, 0x2b, \
		0x2c, 0x2d, 0x2e
	gives 4, 0x77, 16, 0x33, \op			/* with 3 */
	gives 5, 0x77, 16, 0x09, 0xfd, \op		/* with -3 */
	gives 5, 0x77, 16, 0x08, 100, \op		/* with 100 */
	gives 4, 0x77, 16, 0x30, \op			/* with 0 */
	gives 3, 0x73, 0, \op				/* rbx and the CFA */
	gives 2, 0x12, \op				/* with itself */
	gives 1, \op					/* with nothing */
	.endr
	.irp op, 0x06, 0x12, 0x13, 0x14, 0x19, 0x1f, 0x20, 0x96
	gives 3, 0x73, 16, \op
	gives 2, 0x1f, \op
	.endr
	.irp bytes, 0, 1, 2, 3, 4, 8, 16
	gives 3, 0x94, \bytes, 0x20			/* deref_size */
	.endr
	.irp op, 0x13, 0x14, 0x16, 0x17, 0x22
	gives 4, 0x31, 0x32, 0x33, \op
	gives 6, 0x31, 0x32, 0x33, \op, 0x1c, 0x1c
	gives 2, 0x33, \op
	.endr
	.irp which, 0, 1, 2, 3, 9
	gives 5, 0x31, 0x32, 0x33, 0x15, \which	/* pick */
	.endr
	gives 1, 0x30
	gives 1, 0x4f
	gives 2, 0x08, 0xfe
	gives 2, 0x09, 0xfe
	gives 3, 0x0a, 0xfe, 0xff
	gives 3, 0x0b, 0xfe, 0xff
	gives 5, 0x0c, 0xfe, 0xff, 0xff, 0xff
	gives 5, 0x0d, 0xfe, 0xff, 0xff, 0xff
	gives 9, 0x0e, 1, 2, 3, 4, 5, 6, 7, 0xff
	gives 9, 0x0f, 1, 2, 3, 4, 5, 6, 7, 0xff
	gives 4, 0x10, 0xff, 0xff, 0x7f
	gives 4, 0x11, 0xff, 0xff, 0x7f
	gives 9, 0x03, 1, 2, 3, 4, 5, 6, 7, 8
	gives 3, 0x23, 0x80, 0x01
	gives 3, 0x92, 12, 0x78				/* bregx: r12 - 8 */
	gives 3, 0x92, 40, 0				/* a register that nobody keeps */
	gives 2, 0x80, 0				/* the pc */
	gives 5, 0x35, 0x2f, 1, 0, 0x36			/* skip over one */
	gives 5, 0x35, 0x2f, 0, 0, 0x36
	gives 5, 0x35, 0x2f, 1, 0, 0x36
	gives 4, 0x35, 0x2f, 0xfd, 0xff			/* for ever */
	gives 6, 0x35, 0x31, 0x28, 1, 0, 0x36		/* bra, taken and not */
	gives 6, 0x35, 0x30, 0x28, 1, 0, 0x36
	gives 8, 0x3a, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x36	/* counts down */
	gives 1, 0x53					/* reg3: no value */
	gives 1, 0xf0					/* unknown */
	done

	/* what linkers and libraries write */
	case plt
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	.rept 15
	nop
	.endr
	.cfi_escape 0x0f, 5, 0x77, 0x28, 0x06, 0x23, 8	/* *(rsp + 40) + 8 */
	nop
	.cfi_escape 0x0f, 3, 0x7a, 0, 0x06		/* *r10 */
	nop
	.cfi_escape 0x0f, 2, 0x31, 0x22			/* of too little */
	done

	/* offsets signed, factored, and too wide for a row */
	case offsets
	.cfi_escape 0x12, 7, 0x7e			/* def_cfa_sf: rsp + 16 */
	nop
	.cfi_escape 0x13, 0x7c				/* def_cfa_offset_sf: 32 */
	nop
	.cfi_escape 0x0e, 0x80, 0x80, 0x80, 0x80, 0x10	/* 4 GiB */
	nop
	.cfi_escape 0x0d, 6				/* def_cfa_register with it */
	nop
	.cfi_escape 0x0c, 6, 16
	nop
	.cfi_escape 0x0e, 0xff, 0xff, 0xff, 0xff, 0x07	/* 2 GiB - 1 */
	nop
	.cfi_escape 0x0e, 16
	.cfi_escape 0x05, 6, 0x80, 0x80, 0x80, 0x80, 0x10
	done

	case advances
	.skip 60, 0x90
	.cfi_def_cfa_offset 24
	.skip 100, 0x90
	.cfi_def_cfa_offset 40
	.skip 300, 0x90
	.cfi_def_cfa_offset 48
	.skip 70000, 0x90
	.cfi_def_cfa_offset 56
	done

	/* the kernel's frame, and others that only say they are */
	.macro signal_rules rip
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	.cfi_escape 0x10, 7, 3, 0x77, 0xa0, 0x01
	.cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x00
	.cfi_escape 0x10, 16, 3, 0x77, \rip, 0x01
	.endm
	case signal_frame
	signal_rules 0xa8
	done
	case signal_frame_elsewhere
	signal_rules 0xb0
	done
	case signal_frame_plain
	.cfi_signal_frame
	.cfi_def_cfa_offset 16
	done
	case signal_frame_of_all_registers
	signal_rules 0xb0
	.cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x01
	.cfi_escape 0x10, 0, 3, 0x77, 0x90, 0x01
	.cfi_escape 0x10, 10, 2, 0x77, 0x38
	done
	case signal_frame_outermost
	.cfi_signal_frame
	.cfi_undefined rip
	done
	.balign 32, 0x90
	.skip 16, 0x90
	.type trampoline, @function
trampoline:
	.cfi_startproc
	.cfi_undefined rip
	nop
	.cfi_endproc
	.balign 32, 0x90
	.skip 16, 0x90
	.type signal_trampoline, @function
signal_trampoline:
	.cfi_startproc
	signal_rules 0xa8
	nop
	.cfi_endproc
	.balign 32, 0x90
	.skip 16, 0x90
	.type trampoline_with_caller, @function
trampoline_with_caller:
	.cfi_startproc
	nop
	.cfi_endproc
	case not_a_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01
	done

	/* augmentations: personality and LSDA in several encodings */
	.macro handled name, personality, lsda
	.type \name, @function
\name:
	.cfi_startproc
	.cfi_personality \personality, handler
	.cfi_lsda \lsda, table
	nop
	.cfi_def_cfa_offset 16
	nop
	.cfi_endproc
	.endm
	handled handled_absptr, 0x00, 0x00
	handled handled_udata4, 0x03, 0x03
	handled handled_pcrel, 0x1b, 0x1b
	handled handled_sdata8, 0x1c, 0x1c
	handled handled_indirect, 0x9b, 0x1b
	.type handled_signal, @function
handled_signal:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_personality 0x1b, handler
	.cfi_lsda 0x1b, table
	nop
	.cfi_undefined rip
	nop
	.cfi_endproc

	/* covered by the entries below */
	.macro body name
\name:	.skip 8, 0x90
\name\()_end:
	.endm
	body by_hand_absptr
	body by_hand_udata4
	body by_hand_sdata4
	body by_hand_pcrel8
	body by_hand_version_3
	body by_hand_version_4
	body by_hand_set_loc
	body by_hand_advances
	body by_hand_factors
	body by_hand_return_column
handler:
	.skip 16, 0x90

	.data
table:	.quad 0

	/* CIE: version, augmentation string, 4-byte prefix of version 4, code and data factor, RA,
	 * data */
	.macro cie name, version, augmentation, code=1, data=0x78, column=16
	.section .eh_frame, "a", @unwind
\name:	.long \name\()_end - . - 4
	.long 0
	.byte \version
	.asciz "\augmentation"
	.if \version == 4
	.byte 8, 0
	.endif
	.byte \code, \data, \column
	.endm
	.macro cie_rules name
	.byte 0x0c, 7, 8, 0x90, 1	/* CFA = rsp + 8, RA at CFA - 8 */
	.balign 8, 0
\name\()_end:
	.endm
	.macro fde name, cie
\name\()_fde:
	.long \name\()_fde_end - . - 4
	.long . - \cie
	.endm
	.macro fde_end name
	.balign 8, 0
\name\()_fde_end:
	.endm

	cie cie_absptr, 1, ""
	cie_rules cie_absptr
	fde by_hand_absptr, cie_absptr
	.quad by_hand_absptr, 8
	.byte 0x44, 0x0e, 16
	fde_end by_hand_absptr

	cie cie_udata4, 1, "zR"
	.byte 1, 0x03
	cie_rules cie_udata4
	fde by_hand_udata4, cie_udata4
	.long by_hand_udata4, 8
	.byte 0, 0x44, 0x0e, 16
	fde_end by_hand_udata4

	cie cie_sdata4, 1, "zRB"
	.byte 1, 0x0b
	cie_rules cie_sdata4
	fde by_hand_sdata4, cie_sdata4
	.long by_hand_sdata4, 8
	.byte 2, 0xff, 0xff, 0x44, 0x0e, 16	/* with data that nobody asked for */
	fde_end by_hand_sdata4

	cie cie_pcrel8, 1, "zR"
	.byte 1, 0x1c
	cie_rules cie_pcrel8
	fde by_hand_pcrel8, cie_pcrel8
	.quad by_hand_pcrel8 - ., 8
	.byte 0, 0x44, 0x0e, 16
	fde_end by_hand_pcrel8

	cie cie_version_3, 3, "zR"
	.byte 1, 0x1b
	cie_rules cie_version_3
	fde by_hand_version_3, cie_version_3
	.long by_hand_version_3 - ., 8
	.byte 0, 0x44, 0x0e, 16
	fde_end by_hand_version_3

	cie cie_version_4, 4, "zR"
	.byte 1, 0x1b
	cie_rules cie_version_4
	fde by_hand_version_4, cie_version_4
	.long by_hand_version_4 - ., 8
	.byte 0, 0x44, 0x0e, 16
	fde_end by_hand_version_4

	fde by_hand_set_loc, cie_pcrel8
	.quad by_hand_set_loc - ., 8
	.byte 0, 0x01
	.quad by_hand_set_loc + 2 - .
	.byte 0x0e, 16, 0x01
	.quad by_hand_set_loc + 5 - .
	.byte 0x0e, 24
	fde_end by_hand_set_loc

	fde by_hand_advances, cie_pcrel8
	.quad by_hand_advances - ., 8
	.byte 0, 0x02, 1, 0x0e, 16, 0x03, 1, 0, 0x0e, 24, 0x04, 1, 0, 0, 0, 0x0e, 32
	.byte 0x1d, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 40
	fde_end by_hand_advances

	cie cie_factors, 1, "zR", 2, 0x7c
	.byte 1, 0x1b
	.byte 0x0c, 7, 8, 0x90, 2
	.balign 8, 0
cie_factors_end:
	fde by_hand_factors, cie_factors
	.long by_hand_factors - ., 8
	.byte 0, 0x41, 0x0e, 16, 0x41, 0x86, 4, 0x41, 0x0e, 32
	fde_end by_hand_factors

	cie cie_return_column, 1, "zR", 1, 0x78, 15
	.byte 1, 0x1b
	cie_rules cie_return_column
	fde by_hand_return_column, cie_return_column
	.long by_hand_return_column - ., 8
	.byte 0
	fde_end by_hand_return_column

	.section .note.GNU-stack, "", @progbits
