# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names without a trace: the analyzer's symbols/ asked address by address.

names_bin := $(BUILD)/test/symbolize

$(BUILD)/obj/tests/names/%.o: tests/names/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) $(sanitize) -c -o $@ $<

$(BUILD)/test/symbolize: $(BUILD)/obj/tests/names/symbolize.o \
		$(filter $(BUILD)/obj/analyzer/base/% $(BUILD)/obj/analyzer/trace/% \
			$(BUILD)/obj/analyzer/symbols/%,$(analyzer_obj))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

-include $(BUILD)/obj/tests/names/symbolize.d
