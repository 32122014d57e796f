# SPDX-License-Identifier: GPL-3.0-or-later
#
# make bench-unwind: the unwinder against libunwind's unw_backtrace. make bench: recording against heaptrack's.
# make bench-rss: what xalloc rss costs.

.PHONY: bench bench-rss bench-unwind

bench_dir := $(BUILD)/bench
bench_unwind_bin := $(addprefix $(bench_dir)/unwind-,ours full libunwind)

# Stacks as most programs have them: no frame pointers, rbp is a register like others.
$(bench_dir)/shapes.o: private CFLAGS += -fomit-frame-pointer -fno-optimize-sibling-calls
$(bench_dir)/%.o: tests/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) -c -o $@ $<

# As a hook is compiled.
$(bench_dir)/unwinder_ours.o: tests/bench/unwinder_ours.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -fvisibility=default -c -o $@ $<

$(bench_dir)/unwinder_full.o: tests/bench/unwinder_ours.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -fvisibility=default -DUNWINDER_FULL -c -o $@ $<

$(bench_dir)/libunwinder-%.so: $(bench_dir)/unwinder_%.o $(filter $(BUILD)/obj/preload/unwind/%.o \
		$(BUILD)/obj/preload/sys/%.o,$(preload_obj))
	$(say) LD $@
	$(Q)$(CC) -shared -Wl,-z,now -Wl,-z,defs -Wl,--gc-sections -Wl,-soname,$(@F) -o $@ $^

$(bench_dir)/unwind-ours $(bench_dir)/unwind-full: $(bench_dir)/unwind-%: $(bench_dir)/unwind_main.o \
		$(bench_dir)/shapes.o $(bench_dir)/libunwinder-%.so
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -Wl,-rpath,'$$ORIGIN'

$(bench_dir)/unwind-libunwind: $(bench_dir)/unwind_main.o $(bench_dir)/shapes.o \
		$(bench_dir)/unwinder_libunwind.o
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lunwind

bench-unwind: $(bench_unwind_bin)
	@BUILD='$(abspath $(BUILD))' python3 tests/bench/bench_unwind.py

# The programs to be recorded: calls stand as they are written.
bench_bin := $(addprefix $(bench_dir)/,work map measure)
bench_prog_flags := -O2 -g -fno-builtin -fno-optimize-sibling-calls -pthread
$(bench_dir)/work $(bench_dir)/measure: $(bench_dir)/%: tests/bench/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BASE) $(WARN) -MF $@.d $(bench_prog_flags) -o $@ $<

$(bench_dir)/map: tests/bench/map.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CXX $@
	$(Q)$(CXX) -Wall -Wextra $(bench_prog_flags) -o $@ $<

bench-rss: $(BUILD)/xalloc $(BUILD)/progs/resident
	@BUILD='$(abspath $(BUILD))' python3 tests/bench/bench_rss.py

bench: all $(bench_bin)
	@BUILD='$(abspath $(BUILD))' python3 tests/bench/bench.py

-include $(wildcard $(bench_dir)/*.d)
