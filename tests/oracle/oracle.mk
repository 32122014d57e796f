# SPDX-License-Identifier: GPL-3.0-or-later
#
# The unwinder's oracle: cfi_dump compares rows with elfutils, libxalloc-oracle.so whole stacks with
# libunwind.

oracle_bin := $(addprefix $(BUILD)/test/,cfi_dump exotic libxalloc-oracle.so \
	libxalloc-unverified.so hazards hazards.so outside)

oracle_dump_obj := $(addprefix $(BUILD)/obj/tests/oracle/,cfi_dump.o expected.o expected_full.o image.o)
oracle_preload_obj := $(preload_src:%.c=$(BUILD)/obj/oracle/%.o) \
	$(addprefix $(BUILD)/obj/oracle/tests/oracle/,compare.o reference.o view.o wrap.o)

$(BUILD)/obj/tests/oracle/%.o: tests/oracle/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) -c -o $@ $<

# What is compared are the very objects of the recorder.
oracle_compared_obj := $(addprefix $(BUILD)/obj/preload/unwind/,cfi.o cfi_op.o eh_frame.o eh_index.o \
	expression.o full_step.o)

$(BUILD)/test/cfi_dump: $(oracle_dump_obj) $(oracle_compared_obj)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldw -lelf

# At fixed addresses, for the sake of absolute pointers; it is never run.
$(BUILD)/test/exotic: tests/oracle/exotic.S $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) AS $@
	$(Q)$(CC) -nostdlib -static -no-pie -Wl,--eh-frame-hdr -Wl,-z,separate-code -o $@ $<

# XALLOC_ORACLE: each walk is a call that can be wrapped.
$(BUILD)/obj/oracle/%.o: %.c $(BUILD)/flags tests/oracle/oracle.mk
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -DXALLOC_ORACLE -c -o $@ $<

oracle_link = $(CC) -shared -nostartfiles -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--exclude-libs,ALL \
	-Wl,--version-script=preload/libxalloc.map -Wl,--gc-sections \
	-Wl,--wrap=unwind_stack -Wl,--wrap=unwind_stack_copy -Wl,--wrap=ids_add -Wl,--wrap=cfi_row \
	-Wl,--wrap=expression_value -Wl,--wrap=unwind_forget_rows \
	-Wl,--wrap=life_finish -Wl,--wrap=life_quick_exit \
	-o $@ $(filter %.o %.a,$^) -lc

$(BUILD)/test/libxalloc-oracle.so: $(oracle_preload_obj) $(BUILD)/libzstd-private.a \
		preload/libxalloc.map
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(oracle_link)

# The kept stack without the verification of its words: what the oracle has to find.
$(BUILD)/obj/unverified/kept.o: preload/unwind/kept.c $(BUILD)/flags tests/oracle/oracle.mk
	@mkdir -p $(@D)
	$(say) CC '$< unverified'
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -DXALLOC_ORACLE -DXALLOC_UNWIND_UNVERIFIED -c -o $@ $<

$(BUILD)/test/libxalloc-unverified.so: $(BUILD)/obj/unverified/kept.o \
		$(filter-out %/preload/unwind/kept.o,$(oracle_preload_obj)) $(BUILD)/libzstd-private.a \
		preload/libxalloc.map
	$(say) LD $@
	$(Q)$(oracle_link)

$(BUILD)/test/hazards: tests/oracle/hazards.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) -MF $@.d -O2 -fno-builtin -fno-optimize-sibling-calls -pthread \
		-o $@ $<

# Only for its constructor.
$(BUILD)/test/hazards.so: tests/oracle/hazards.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) -MF $@.d -O2 -fno-builtin -DLIBRARY -shared -fPIC -o $@ $<

$(BUILD)/test/liboutside.so: tests/oracle/outside.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) -MF $@.d -O2 -fno-builtin -DLIBRARY -shared -fPIC -o $@ $<

$(BUILD)/test/outside: tests/oracle/outside.c $(BUILD)/test/liboutside.so
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) -MF $@.d -O2 -fno-builtin -fno-optimize-sibling-calls \
		-fcf-protection=none -Wl,-z,lazy -Wl,-rpath,'$$ORIGIN' -o $@ $< \
		$(BUILD)/test/liboutside.so

-include $(addprefix $(BUILD)/test/,outside.d liboutside.so.d) $(BUILD)/test/hazards.d $(BUILD)/test/hazards.so.d
-include $(patsubst %.o,%.d,$(oracle_dump_obj) $(oracle_preload_obj)) $(BUILD)/obj/unverified/kept.d

include tests/hazards/hazards.mk
oracle_bin += $(hazard_bin)
