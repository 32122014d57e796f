# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs with one fault each, tests/faults.md: only the file that has it is compiled again, the rest are
# the very objects of the product.

fault_source_1 := analyzer/model/replay.c
fault_source_2 := analyzer/model/replay.c
fault_source_3 := analyzer/model/replay.c
fault_source_4 := analyzer/model/transit.c
fault_source_5 := analyzer/model/replay.c
fault_source_6 := analyzer/model/replay.c
fault_source_7 := analyzer/trace/merge_stream.c
fault_source_8 := analyzer/trace/chunk_index.c
fault_source_9 := analyzer/model/replay.c
fault_source_10 := analyzer/model/replay.c
fault_source_11 := analyzer/trace/merge.c
fault_source_13 := analyzer/model/replay.c
# No fault that verify finds: half of the first thread's stack, and of pinned memory, is forgotten, tests/reconcile.test.
fault_source_16 := analyzer/report/reconcile.c
fault_report := 1 2 3 4 5 6 7 8 9 10 11 13 16
fault_bin := $(fault_report:%=$(BUILD)/fault/%/xalloc-report) $(BUILD)/fault/12/libxalloc.so \
	$(BUILD)/fault/14/xalloc $(BUILD)/fault/14/libxalloc.so $(BUILD)/fault/15/xalloc $(BUILD)/fault/15/libxalloc.so

define fault_rule
$(BUILD)/fault/$(1)/fault.o: $(fault_source_$(1)) $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(say) CC '$$< with fault $(1)'
	$$(Q)$$(CC) $$(BASE) $$(WARN) $$(CFLAGS) $$(sanitize) -O0 -g0 -DXALLOC_FAULT=$(1) -c -o $$@ $$<

$(BUILD)/fault/$(1)/xalloc-report: $(BUILD)/fault/$(1)/fault.o \
		$(filter-out $(fault_source_$(1):%.c=$(BUILD)/obj/%.o),$(analyzer_obj))
	$$(say) LD $$@
	$$(Q)$$(CC) $$(CFLAGS) $$(sanitize) $$(LDFLAGS) -o $$@ $$^ $$(HOST_LIBS)
endef
$(foreach n,$(fault_report),$(eval $(call fault_rule,$(n))))

$(BUILD)/fault/12/fault.o: preload/hooks.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC '$< with fault 12'
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -DXALLOC_FAULT=12 -c -o $@ $<

fault_preload := $(BUILD)/fault/12/fault.o $(filter-out $(BUILD)/obj/preload/hooks.o,$(preload_obj))
$(BUILD)/fault/12/libxalloc.so: $(fault_preload) $(BUILD)/libzstd-private.a preload/libxalloc.map
	$(say) LD $@
	$(Q)$(CC) -shared -nostartfiles -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--exclude-libs,ALL \
		-Wl,--version-script=preload/libxalloc.map -Wl,-soname,libxalloc.so -Wl,--gc-sections \
		-o $@ $(fault_preload) $(BUILD)/libzstd-private.a -nodefaultlibs -lc

# No fault that verify finds: a helper that is ten times slower, tests/transport.test.
$(BUILD)/fault/14/fault.o: preload/launch/helper_main.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC '$< with fault 14'
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) -DXALLOC_FAULT=14 -c -o $@ $<

$(BUILD)/fault/14/xalloc: $(BUILD)/fault/14/fault.o $(BUILD)/libzstd-private.a \
		$(filter-out $(BUILD)/obj/preload/launch/helper_main.o,$(launch_obj) $(store_obj))
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

$(BUILD)/fault/14/libxalloc.so: $(BUILD)/libxalloc.so
	$(Q)ln -f $< $@

# A helper that dies in the midst of a change of the file's end; the file grows in small steps.
$(BUILD)/fault/15/fault.o: preload/store/file.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC '$< with fault 15'
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -DXALLOC_FAULT=15 -c -o $@ $<

$(BUILD)/fault/15/xalloc: $(BUILD)/fault/15/fault.o $(BUILD)/libzstd-private.a \
		$(filter-out $(BUILD)/obj/preload/store/file.o,$(launch_obj) $(store_obj))
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^)

fault_preload_15 := $(BUILD)/fault/15/fault.o $(filter-out $(BUILD)/obj/preload/store/file.o,$(preload_obj))
$(BUILD)/fault/15/libxalloc.so: $(fault_preload_15) $(BUILD)/libzstd-private.a
	$(say) LD $@
	$(Q)$(CC) -shared -nostartfiles -Wl,-z,now -Wl,-z,relro -Wl,--exclude-libs,ALL \
		-Wl,--version-script=preload/libxalloc.map -Wl,-soname,libxalloc.so -Wl,--gc-sections \
		-o $@ $(fault_preload_15) $(BUILD)/libzstd-private.a -nodefaultlibs -lc

-include $(wildcard $(BUILD)/fault/*/fault.d)
