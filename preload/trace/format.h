/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contract of the trace file: what the recorder writes and the analyzer reads.
 * docs/trace-format.md is the normative text; this header is its constants and layouts.
 * Freestanding: both sides include it.
 *
 * All integers are little endian. Offsets and sizes are bytes. A change of any layout here changes
 * XT_VERSION and the document.
 */
#ifndef XALLOC_TRACE_FORMAT_H
#define XALLOC_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define XT_VERSION 9
#define XT_OLDEST_VERSION 9 /* before it slots were smaller and columns others */
#define XT_OLDEST_READER 9 /* the oldest reader version that understands what is recorded */

/* zstd frames: skippable ones carry what is not an event, see docs/trace-format.md "Frames" */
#define XT_FRAME_HEADER 0x184D2A50u
#define XT_FRAME_CHUNK \
	0x184D2A51u /* payload is struct xt_meta: a zstd frame follows; longer: free space */
#define XT_FRAME_WINDOW 0x184D2A52u
#define XT_FRAME_TOTALS 0x184D2A53u
#define XT_FRAME_ZSTD 0xFD2FB528u
#define XT_FRAME_HEAD_BYTES 8u /* magic and payload size of a skippable frame */

#define XT_PAGE_BYTES 4096u
#define XT_SLOT_BYTES 131072u
#define XT_WINDOW_SLOTS_MAX 60u
#define XT_MAGIC "XALLOCTR"
#define XT_WRITERS_OFFSET 1024u /* from here the header's page is the writers' */

/* What a chunk, and so a slot, carries. */
enum xt_kind {
	XT_KIND_FREE = 0,    /* slots only */
	XT_KIND_EVENTS = 1,  /* encoded events of one stream */
	XT_KIND_IDS = 2,     /* struct xt_id entries */
	XT_KIND_RECORDS = 3, /* struct xt_record entries */
	XT_KIND_COLUMNS = 4, /* chunks only: encoded events of one stream in columns */
	XT_KIND_TAKEN = 0x80 /* slots only: being set up, nothing to read yet */
};

/*
 * The columns of a chunk of XT_KIND_COLUMNS, in their order: what of an event stands in which. Of
 * numbers that have a column for the rest only the first byte is in their own: the bytes of one
 * place are more alike than those of different ones.
 */
enum xt_column {
	XT_COLUMN_HEAD = 0,  /* header bytes, function bytes, all of an EXT */
	XT_COLUMN_STAMP = 1,
	XT_COLUMN_STACK = 2, /* a stack's number; 0: one that has none yet */
	XT_COLUMN_FRAME = 3, /* stacks without a number, as in a row */
	XT_COLUMN_SIZE = 4,
	XT_COLUMN_FREED = 5, /* the address of a FREE, the old address of a REALLOC */
	XT_COLUMN_ADDR = 6,  /* addresses of blocks handed out */
	XT_COLUMN_STAMP_REST = 7,
	XT_COLUMN_STACK_REST = 8,
	XT_COLUMN_SIZE_REST = 9,
	XT_COLUMN_FREED_REST = 10
};
#define XT_COLUMNS 11u
#define XT_STACKS_MAX 65535u /* of a chunk that have numbers, from 1: the first ones */
/* The payload of such a chunk begins with this; the columns follow, one behind the other. */
struct xt_columns {
	uint32_t bytes[XT_COLUMNS];
};
#define XT_COLUMNS_BYTES_MAX (4u << 20) /* of a chunk of columns before compression */

/*
 * Words of the header that change while the process runs are stored as multiples of this: a single
 * bit that flips makes none of one, and each store is whole at every instant. So are the values of
 * the enums below.
 */
#define XT_SURE 65537u

enum xt_clock {
	XT_CLOCK_TSC = 1 * XT_SURE,
	XT_CLOCK_COUNTER = 2 * XT_SURE,
	/* stamps were dropped: what stands there says what came first, no time */
	XT_CLOCK_ORDER = 3 * XT_SURE,
	/* the TSC, until the program forbade itself to read it; then a counter */
	XT_CLOCK_LEFT = 4 * XT_SURE
};

enum xt_state {
	XT_STATE_RECORDING = 1 * XT_SURE,
	XT_STATE_DRAINING = 2 * XT_SURE,
	XT_STATE_ENDED = 3 * XT_SURE
};

enum xt_exit {
	XT_EXIT_NONE = 0, /* no end was seen: killed, still running, or exec'd */
	XT_EXIT_STATUS = 1 * XT_SURE,
	XT_EXIT_SIGNAL = 2 * XT_SURE,
	XT_EXIT_EXEC = 3 * XT_SURE,
	XT_EXIT_UNSEEN = 4 * XT_SURE /* a status of which only the process's parent knew */
};

/* Why recording stopped before the process did; 0 while it goes on. */
enum xt_stop {
	XT_STOP_NONE = 0,
	XT_STOP_MAX_SIZE = 1 * XT_SURE,
	XT_STOP_NO_SPACE = 2 * XT_SURE,
	XT_STOP_NO_MEMORY = 3 * XT_SURE,
	/* the file could not grow: its name was gone or another file's, or the process had no right
	 * any more */
	XT_STOP_NO_WAY = 4 * XT_SURE,
	/* the process may make no system call that makes room, and what it had was full */
	XT_STOP_SEALED = 5 * XT_SURE
};

/* What a block's usable size is unless XT_EXT_USABLE says it. */
enum xt_usable_rule {
	XT_USABLE_UNKNOWN = 0,
	XT_USABLE_GLIBC = 1,  /* (size + 8) rounded up to 16, at least 32, minus 8 */
	XT_USABLE_NO_ADDRESSES =
		2 /* addresses were dropped: blocks have names instead, see xt_name */
};

/* Stamps of the TSC that are no further apart say nothing of what was first. */
#define XT_STAMP_ERROR 1u

struct xt_clock_pair {
	uint64_t stamp;    /* in stamp units */
	uint64_t ns;       /* CLOCK_MONOTONIC at the same moment, within ns_error */
	uint32_t ns_error; /* the greatest number: so much or more */
	uint32_t check;    /* xt_pair_check */
};

/* Payload of the header frame. It is mapped and written to while the target runs. */
struct xt_header {
	char magic[8];
	uint16_t version;
	uint16_t oldest_reader;
	uint32_t header_bytes;       /* sizeof(struct xt_header) */
	uint32_t pid, ppid;          /* of the process recorded */
	uint64_t start_time;         /* field 22 of /proc/PID/stat: clock ticks since boot */
	uint64_t session_start_time; /* the same three of the process that began the session */
	uint32_t session_pid;
	uint32_t session_image; /* XALLOC_SESSION's image number that this image found or began */
	char boot_id[40];       /* text, NUL padded */
	uint32_t image;         /* 0: first image of the process, 1: after one exec, ... */
	uint32_t forked;        /* 1: a fork child without exec; its heap began as its parent's */
	uint32_t clock;         /* enum xt_clock: it may become XT_CLOCK_LEFT */
	uint32_t stamp_shift;   /* a stamp is the clock's value shifted right by this */
	uint64_t realtime_ns;   /* CLOCK_REALTIME at first_pair */
	struct xt_clock_pair first_pair;
	struct xt_clock_pair
		last_pair[2];     /* refreshed now and then; last_pair_index names the whole one */
	uint32_t last_pair_index; /* 0: none yet, 1: [0], 2: [1] */
	uint32_t state;           /* enum xt_state */
	uint32_t exit_kind;       /* enum xt_exit */
	uint32_t exit_status;     /* status, modulo 256, or signal number, times XT_SURE */
	uint32_t stop_reason;     /* enum xt_stop */
	uint32_t depth;           /* XALLOC_DEPTH in force */
	uint64_t lost_events;     /* calls that were not recorded, times XT_SURE */
	uint64_t raw_chunks;      /* chunks stored as raw blocks because no context was free */
	uint32_t threads;         /* thread numbers given out */
	uint32_t usable_rule;     /* enum xt_usable_rule */
	uint32_t is_compact;      /* 1: it has totals and no live window; any other has one */
	uint32_t check;           /* xt_header_check */
};

/* Payload of a chunk frame; the zstd frame of `zstd_bytes` follows at once. */
struct xt_meta {
	uint32_t kind;   /* XT_KIND_EVENTS, _IDS or _RECORDS */
	uint32_t stream; /* events: the stream's number, from 0 */
	uint64_t
		seq; /* number of the chunk in its stream, from 0; ids and records: in their kind */
	uint64_t base; /* events: events of this stream in earlier chunks; ids: the first id */
	uint64_t first_stamp; /* events: what the first stamp's delta counts from */
	uint64_t last_stamp;  /* events: the last stamp in the chunk */
	uint32_t events;      /* events in the chunk; ids: entries */
	uint32_t thread;      /* events: number of the thread at the chunk's start */
	uint32_t tid;         /* events: its kernel id */
	uint32_t check;       /* xt_meta_check */
	uint32_t raw_bytes;
	uint32_t zstd_bytes;
};

/* One slot of a live window: what it holds at this instant. */
struct xt_slot {
	uint32_t kind; /* enum xt_kind */
	uint32_t stream;
	uint64_t seq;
	uint64_t base;
	uint64_t first_stamp;
	uint32_t thread;
	uint32_t tid;
	uint32_t used; /* bytes whole; stored with release after each event. Ids: bytes given out */
	uint32_t events; /* events in these bytes: the two are stored at once, as 8 bytes */
	uint64_t own[2];  /* the writers': nothing for a reader */
};

/* Payload of a live window begins with this; slot i's bytes are at file offset
 * (window frame offset) + XT_PAGE_BYTES + i * XT_SLOT_BYTES. */
struct xt_window {
	uint32_t slots;
	uint32_t reserved;
	struct xt_slot slot[];
};

/* Payload of the totals frame, written at a clean end. Later events may stand in the live windows.
 */
struct xt_totals {
	uint64_t chunks; /* chunk frames of any kind before this frame */
	uint64_t events; /* events in them */
	uint64_t ids;    /* frame ids given out */
	uint64_t reserved;
};

/* Frame ids. */
#define XT_ID_NONE 0u
#define XT_ID_TRUNCATED 1u /* root of a stack that could not be walked further */
#define XT_ID_ELIDED 2u    /* root of a stack whose outer frames were cut by depth */
#define XT_ID_FIRST 16u
#define XT_IDS_MAX (8192u * 4096u) /* ids are below: so many blocks of a slot's entries */

struct xt_id {
	uint64_t pc;    /* a return address, unless XT_IDF_EXACT: look up pc - 1 */
	uint32_t epoch; /* module epoch at which pc was seen */
	uint32_t flags; /* 0: entry not written yet */
};
#define XT_IDF_READY 1u
#define XT_IDF_EXACT 2u /* the interrupted instruction of a signal frame: look up pc itself */
#define XT_IDF_NO_MODULE 4u /* no module held it when it was first seen */

/* Records are padded to XT_RECORD_ALIGN; a zero size means: not written, go on at the next
 * multiple. */
#define XT_RECORD_ALIGN 64u
struct xt_record {
	uint32_t size; /* with this head and padding */
	uint16_t type; /* enum xt_record_type */
	uint16_t ready;
};
enum xt_record_type {
	XT_RECORD_EXE = 1,     /* path of the executable, text */
	XT_RECORD_ARGV = 2,    /* arguments, each ended by NUL */
	XT_RECORD_MODULE = 3,  /* struct xt_module */
	XT_RECORD_UNLOAD = 4,  /* struct xt_unload */
	XT_RECORD_RANGE = 5,   /* struct xt_range: a mapping of the recorder's own */
	XT_RECORD_MESSAGE = 6, /* a warning of the recorder, text */
	XT_RECORD_CWD = 7,     /* working directory at the start, text */
	XT_RECORD_ENVIRONMENT = 9, /* NAME=VALUE of what may change allocation, text */
	XT_RECORD_HEAP = 10,	   /* struct xt_heap */
	XT_RECORD_JIT_NAME = 11,   /* struct xt_jit_name */
	XT_RECORD_MAPPING = 12,    /* struct xt_mapping */
	XT_RECORD_SNAPSHOT = 13,   /* struct xt_snapshot, behind its parts */
	XT_RECORD_SNAPSHOT_MAPS = 14,  /* struct xt_snapshot_part, text of /proc/self/maps */
	XT_RECORD_SNAPSHOT_PAGES = 15, /* struct xt_snapshot_part, struct xt_pages[] */
	XT_RECORD_THREAD_NAME = 16, /* struct xt_thread_name */
	XT_RECORD_ALLOCATOR = 17, /* struct xt_allocator */
	XT_RECORD_SNAPSHOT_OUTSIDE = 18, /* struct xt_snapshot_outside, before its XT_RECORD_SNAPSHOT */
	XT_RECORD_SETTING = 8  /* NAME=VALUE of an XALLOC_ variable that was given, text */
};
/* Text and the payloads below come after struct xt_record; text is `bytes` long, see struct
 * xt_text. */
struct xt_text {
	uint32_t bytes;
	char text[];
};
struct xt_segment {
	uint64_t vaddr, memory_bytes, file_offset;
	uint32_t flags, reserved; /* PF_X, PF_W, PF_R */
};
struct xt_module {
	uint32_t index;       /* dense, from 0 */
	uint32_t first_epoch; /* epoch at which it was first seen */
	uint64_t map_start, map_end;
	uint64_t load_bias;
	uint64_t entry; /* e_entry, link-time; 0: none */
	uint32_t segments;
	uint32_t build_id_bytes;
	uint32_t path_bytes;
	uint32_t flags; /* bit 0: the main executable */
			/* struct xt_segment[segments], then build ID, then path (not NUL ended) */
};
struct xt_unload {
	uint32_t index;
	uint32_t epoch; /* from this epoch on no address belongs to the module */
};
struct xt_range {
	uint64_t start, end;
	uint32_t what, reserved; /* 1 trace mapping, 2 private memory */
};

/* What the kernel calls a thread, as it was found to be at some time; the name follows. */
struct xt_thread_name {
	uint32_t thread; /* number in the trace */
	uint32_t order;  /* of several of one thread the one with the highest is the last */
	uint32_t bytes;  /* of the name, without a NUL: under XT_THREAD_NAME_BYTES */
	uint32_t reserved;
};
#define XT_THREAD_NAME_BYTES 16u

/* The name of a frame id whose pc no module holds; the name follows. */
struct xt_jit_name {
	uint32_t id;
	uint32_t bytes; /* of the name, without a NUL */
};
#define XT_JIT_NAME_BYTES_MAX 1024u

/*
 * The program mapped memory, gave some back, or moved some. Ranges are as the kernel has them, in
 * whole pages. The stack follows as frame ids, the root first, if any.
 */
enum xt_mapping_what {
	XT_MAPPING_MAP = 1,   /* mmap: start, bytes */
	XT_MAPPING_UNMAP = 2, /* munmap: old_start, old_bytes */
	XT_MAPPING_MOVE = 3,  /* mremap: from the old range to the new one */
	XT_MAPPING_BREAK = 4  /* brk, sbrk: the heap grew by the new range, or shrank by the old */
};
struct xt_mapping {
	uint16_t what;
	uint16_t flags;  /* XT_MAPPINGF_ */
	uint32_t frames; /* ids of the stack, at most XT_MAPPING_FRAMES_MAX */
	uint64_t start, bytes, old_start, old_bytes;
	uint64_t stamp0, stamp1; /* before the call, when the old range goes, and after it */
	uint32_t stream, reserved;
	uint64_t events; /* of that stream before the moment */
};
#define XT_MAPPINGF_FILE 1u
#define XT_MAPPINGF_SHARED 2u
#define XT_MAPPINGF_NO_ACCESS 4u /* PROT_NONE: addresses only, so far */
#define XT_MAPPINGF_ALLOCATOR 8u /* the allocator called, for its own purposes; without a stack
				    when it did so within a call of the program's */
#define XT_MAPPINGF_UNTRACKED 16u /* recording was paused: without a stack */
#define XT_MAPPING_FRAMES_MAX 8000u

/*
 * What of the process's memory was resident at a moment: the mappings as the kernel lists them, and
 * runs of pages that are there. The parts of both are numbered from 0, each sort by itself.
 */
enum xt_snapshot_why {
	XT_SNAPSHOT_HIGH = 1,     /* resident memory had grown */
	XT_SNAPSHOT_INTERVAL = 2, /* so much time had passed */
	XT_SNAPSHOT_END = 3       /* the process ends */
};
enum xt_snapshot_how {
	XT_SNAPSHOT_SCAN = 1,    /* ioctl PAGEMAP_SCAN: all kinds are told apart */
	XT_SNAPSHOT_PAGEMAP = 2, /* /proc/self/pagemap: neither zero nor huge pages are known */
	XT_SNAPSHOT_NONE = 3,    /* `error` says why there are no pages */
	XT_SNAPSHOT_COSTLY = 4   /* it would have taken too long */
};
struct xt_snapshot {
	uint32_t number; /* from 0; of those taken from outside from XT_SNAPSHOT_OUTSIDE on */
	uint16_t why, how;
	uint64_t stamp; /* when it began */
	uint64_t events; /* of the stream before that moment */
	uint32_t stream, error; /* an errno, or 0 */
	uint64_t resident_bytes; /* by statm, just before; 0: not known */
	uint64_t ns; /* that it took */
	uint32_t maps, pages; /* parts of each sort */
};
/*
 * By another process, while this one went on: stamp and events of struct xt_snapshot are from when it
 * began, its resident_bytes is the lesser one of these two.
 */
#define XT_SNAPSHOT_OUTSIDE 0x80000000u
struct xt_snapshot_outside {
	uint32_t number, reserved;
	uint64_t end_stamp;
	uint64_t events; /* of all streams meanwhile */
	uint64_t before_bytes, after_bytes; /* by statm */
};
struct xt_snapshot_part {
	uint32_t number, part; /* of the snapshot, of its sort */
	uint32_t bytes, reserved; /* of what follows */
};
struct xt_pages {
	uint64_t start;
	uint32_t count; /* pages */
	uint32_t kinds; /* XT_PAGES_ */
};
#define XT_PAGES_FILE 1u /* of a file, or shared */
#define XT_PAGES_PRESENT 2u
#define XT_PAGES_SWAPPED 4u
#define XT_PAGES_ZERO 8u /* the kernel's page of zeros: it was read, never written */
#define XT_PAGES_HUGE 16u

/* What the allocator itself says of its heap, at a clean end, where it can be asked without harm. */
enum xt_heap_state {
	XT_HEAP_MEASURED = 1,
	XT_HEAP_THREADS = 2,   /* not asked: there are, or were, other threads */
	XT_HEAP_HANDLER = 3,   /* not asked: the process ends in a signal handler */
	XT_HEAP_ALLOCATOR = 4, /* not asked: the allocator is not glibc's */
	XT_HEAP_SBRK = 5,      /* not asked: the program called sbrk or brk */
	XT_HEAP_LARGE = 6,     /* not asked: the heap is so large that the answer takes long */
	XT_HEAP_UNSEEN = 7,    /* not asked: blocks are elsewhere, or some of its are not in the trace */
	/* of struct xt_allocator alone */
	XT_HEAP_LEFT = 8,   /* not asked: a call of it is under way, or was left by longjmp */
	XT_HEAP_DENIED = 9, /* not asked: it may make calls that the program has forbidden itself */
	XT_HEAP_FAILED = 10 /* asked, it gave no answer, or there was no stack to ask on */
};
struct xt_heap {
	uint32_t state; /* enum xt_heap_state; without XT_HEAP_MEASURED the rest is 0 */
	uint32_t stream;
	uint64_t events;       /* events of that stream before the moment */
	uint64_t in_use_bytes; /* mallinfo2's uordblks: chunks of the main heap with their heads */
	uint64_t mapped_bytes; /* hblkhd: blocks that are mappings of their own */
	uint64_t heap_bytes;   /* arena */
	uint64_t free_bytes;   /* fordblks */
};

/* The same of an allocator that is not glibc's (heap: XT_HEAP_ALLOCATOR) and can be asked. */
enum xt_allocator_kind {
	XT_ALLOCATOR_JEMALLOC = 1, /* mallctl */
	XT_ALLOCATOR_TCMALLOC = 2, /* MallocExtension_GetNumericProperty */
	XT_ALLOCATOR_MIMALLOC = 3  /* mi_process_info */
};
#define XT_ALLOCATOR_UNTOLD UINT64_MAX /* it has no such figure */
struct xt_allocator {
	uint32_t kind;    /* enum xt_allocator_kind */
	uint32_t state;   /* enum xt_heap_state; without XT_HEAP_MEASURED the figures are 0 */
	uint32_t threads; /* with XT_HEAP_THREADS: the others that were alive */
	uint32_t stream;
	uint64_t events;         /* events of that stream before the moment */
	uint64_t in_use_bytes;   /* stats.allocated; generic.current_allocated_bytes */
	uint64_t active_bytes;   /* stats.active; generic.heap_size; current_commit */
	uint64_t resident_bytes; /* stats.resident */
	uint64_t retained_bytes; /* stats.retained; tcmalloc.pageheap_unmapped_bytes */
	uint64_t free_bytes;     /* tcmalloc.pageheap_free_bytes */
};

/* Events: one header byte, op in the low four bits. */
enum xt_op {
	XT_OP_END = 0, /* never written: zeros follow the last event of a slot */
	XT_OP_MALLOC = 1,
	XT_OP_CALLOC = 2,
	XT_OP_FREE = 3,
	XT_OP_REALLOC = 4,      /* of a block: old and new address, two stamps */
	XT_OP_REALLOC_NULL = 5, /* realloc or reallocarray of NULL */
	XT_OP_ALIGNED = 6,      /* a function byte follows the header */
	XT_OP_NEW = 7,
	XT_OP_FAILED = 8, /* a function byte follows the header */
	XT_OP_EXT = 15    /* subtype byte, varint length, payload */
};
#define XT_OP_MASK 0x0Fu
#define XT_STAMP_EVERY 64u /* events of one thread, of which one has a stamp */
#define XT_EV_STAMP 0x10u /* in columns: otherwise than expected */
#define XT_EV_SAME_STACK 0x20u
#define XT_EV_SAME_SIZE 0x40u
#define XT_EV_PREDICTED 0x80u /* in columns only: the address needs none (predict.h) */

enum xt_ext {
	XT_EXT_THREAD = 1, /* varint number, varint tid: the stream goes on in this thread; state is
			      reset */
	XT_EXT_RESET = 2,  /* state is reset */
	XT_EXT_LOW = 3, /* byte: low 4 bits of the next event's address, byte: of its old address */
	XT_EXT_LOST = 4, /* varint: so many calls were not recorded here */
	XT_EXT_USABLE = 6, /* varint: usable size of the block that the next event returns */
	XT_EXT_TIME = 5, /* varint: stamp delta, no event */
	XT_EXT_MARK = 7, /* byte: enum xt_mark, text: its name; at the stream's last stamp */
	XT_EXT_TRACKING = 8, /* byte: 0: calls of this stream count (so it begins), 1: they do not */
	/* byte: enum xt_pool, varint address, varint old address, text: the next event, a FAILED of
	 * malloc, is none: it is what happened in the program's own heap of that name */
	XT_EXT_POOL = 9
};

/* What the program says of itself (preload/xalloc.h). */
enum xt_mark {
	XT_MARK_PHASE = 1,     /* a phase of that name begins, and the one before ends */
	XT_MARK_ITERATION = 2, /* another turn of the phase's loop begins */
	XT_MARK_PAUSE = 3,
	XT_MARK_RESUME = 4,
	XT_MARK_DUMP = 5       /* an instant that somebody wants to look at */
};
enum xt_pool { XT_POOL_ALLOC = 1, XT_POOL_REALLOC = 2, XT_POOL_FREE = 3 };
#define XT_STREAM_OUTSIDE 0x80000000u /* streams from here on are not the process's: a mark, a snapshot */
#define XT_TEXT_MAX 100u /* bytes of a mark's or pool's name; what is longer is cut */

/* Functions, for XT_OP_ALIGNED and XT_OP_FAILED. */
enum xt_fn {
	XT_FN_MALLOC = 1,
	XT_FN_CALLOC = 2,
	XT_FN_REALLOC = 3,
	XT_FN_REALLOCARRAY = 4,
	XT_FN_POSIX_MEMALIGN = 5,
	XT_FN_ALIGNED_ALLOC = 6,
	XT_FN_MEMALIGN = 7,
	XT_FN_VALLOC = 8,
	XT_FN_PVALLOC = 9,
	XT_FN_NEW = 10
};

#define XT_DEPTH_MAX 8192u /* of XALLOC_DEPTH; a stream's stack holds at most half as many more */
#define XT_STACK_MAX (XT_DEPTH_MAX + XT_DEPTH_MAX / 2 + 1)

_Static_assert(sizeof(struct xt_header) <= XT_WRITERS_OFFSET - XT_FRAME_HEAD_BYTES,
	       "header fits its page");
_Static_assert(sizeof(struct xt_header) == 240, "layout of the header");
_Static_assert(sizeof(struct xt_meta) == 64, "layout of chunk metadata");
_Static_assert(sizeof(struct xt_slot) == 64, "layout of a slot");
_Static_assert(offsetof(struct xt_slot, used) == 40 && offsetof(struct xt_slot, events) == 44,
	       "used and events are one aligned word");
_Static_assert(sizeof(struct xt_columns) == 44, "layout of the head of columns");
_Static_assert(sizeof(struct xt_totals) == 32, "layout of the totals");
_Static_assert(sizeof(struct xt_id) == 16, "layout of an id");
_Static_assert(sizeof(struct xt_record) == 8, "layout of a record head");
_Static_assert(sizeof(struct xt_module) == 56, "layout of a module");
_Static_assert(sizeof(struct xt_segment) == 32, "layout of a segment");
_Static_assert(sizeof(struct xt_mapping) == 72, "layout of the mapping record");
_Static_assert(sizeof(struct xt_snapshot) == 56, "layout of the snapshot record");
_Static_assert(sizeof(struct xt_snapshot_outside) == 40, "layout of what is from outside");
_Static_assert(sizeof(struct xt_thread_name) == 16, "layout of a thread's name");
_Static_assert(sizeof(struct xt_pages) == 16, "layout of a run of pages");
_Static_assert(sizeof(struct xt_heap) == 48, "layout of the heap record");
_Static_assert(sizeof(struct xt_allocator) == 64, "layout of the allocator record");
_Static_assert(8 + XT_FRAME_HEAD_BYTES + XT_WINDOW_SLOTS_MAX * 64 <= XT_PAGE_BYTES,
	       "window head fits its page");

#endif
