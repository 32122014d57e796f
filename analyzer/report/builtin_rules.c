/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each group names the functions that allocate for a kind of thing, not all that call them: a whole
 * program may run below `std::function`. What may stand within another thing comes first: a string
 * in a vector's element is a string.
 */
#include "analyzer/report/builtin_rules.h"

#include <stddef.h>

/* clang-format off */

/* libstdc++'s names, and libc++'s, whose namespace is std::__1. */
static const char std_json[] =
	"{\"schema\": \"xalloc-groups/1\", \"groups\": ["
	"{\"name\": \"std: strings\", \"any\": ["
		"\"/^std::(__cxx11::|__1::)?(basic_string|string)::/\""
	"]},"
	"{\"name\": \"std: streams and locales\", \"any\": ["
		"\"/^std::(__cxx11::|__1::)?(basic_(filebuf|stringbuf|[io]?fstream|"
		"[io]?stringstream)|locale)::/\","
		"\"/^std::ios_base::/\""
	"]},"
	"{\"name\": \"std: vector\", \"any\": ["
		"\"std::_Vector_base::_M_allocate\","
		"\"std::_Vector_base::_M_create_storage\","
		"\"std::_Bvector_base::_M_allocate\","
		"\"/^std::(__1::)?vector::(_M_(realloc|default_append|fill|range|assign|"
		"allocate|insert|reallocate)|reserve|__(push_back|emplace_back)_slow|__append|"
		"__vallocate)/\""
	"]},"
	"{\"name\": \"std: deque\", \"any\": ["
		"\"/^std::(_Deque_base|deque)::_M_(create_nodes|initialize_map|allocate|push|"
		"reallocate|reserve|new_elements)/\""
	"]},"
	"{\"name\": \"std: map and set nodes\", \"any\": ["
		"\"/^std::_Rb_tree::_M_(get_node|create_node|emplace|insert|copy|clone)/\","
		"\"/^std::__1::__tree::__(construct_node|emplace|insert)/\""
	"]},"
	"{\"name\": \"std: unordered map and set\", \"any\": ["
		"\"/^std::__detail::(_Hashtable_alloc::_M_allocate|_ReuseOrAllocNode)/\","
		"\"/^std::_Hashtable::_M_(allocate|insert|emplace|rehash|assign)/\","
		"\"/^std::__1::__hash_table::__(construct_node|emplace|rehash|do_rehash)/\""
	"]},"
	"{\"name\": \"std: list nodes\", \"any\": ["
		"\"/^std::(__cxx11::)?(list|forward_list|_Fwd_list_base)::_M_(get_node|"
		"create_node|insert)/\""
	"]},"
	"{\"name\": \"std: shared pointers\", \"any\": ["
		"\"std::make_shared\","
		"\"std::allocate_shared\","
		"\"/^std::__shared_count::__shared_count$/\","
		"\"std::__1::allocate_shared\""
	"]},"
	"{\"name\": \"std: functions\", \"any\": ["
		"\"/^std::_Function_(base|handler)::(_Base_manager::)?_M_(create|clone|"
		"init_functor|manager)$/\""
	"]},"
	"{\"name\": \"C++ exceptions\", \"any\": ["
		"\"__cxa_allocate_exception\""
	"]}"
	"]}";

static const char libc_io_json[] =
	"{\"schema\": \"xalloc-groups/1\", \"groups\": ["
	"{\"name\": \"libc: lines\", \"any\": ["
		"\"/^(_IO_|__)?get(line|delim)$/\""
	"]},"
	"{\"name\": \"libc: stream buffers\", \"any\": ["
		"\"/^_IO_(file|wfile|default)_doallocate$/\","
		"\"_IO_doallocbuf\","
		"\"_IO_wdoallocbuf\""
	"]},"
	"{\"name\": \"libc: streams\", \"any\": ["
		"\"/^(_IO_|__)?(fopen|fopen64|fdopen|popen|proc_open|fopencookie)$/\","
		"\"/^(__)?(fmemopen|open_memstream|open_wmemstream|tmpfile|tmpfile64|"
		"freopen)$/\""
	"]},"
	"{\"name\": \"libc: directories\", \"any\": ["
		"\"/^(__)?(opendir|opendirat|fdopendir|alloc_dir)$/\","
		"\"/^(scandir|scandirat|scandir64|glob|glob64|nftw|nftw64|ftw|fts_open|"
		"fts_read|fts_children|wordexp)$/\""
	"]},"
	"{\"name\": \"libc: paths\", \"any\": ["
		"\"/^(__)?(realpath|realpath_chk|getcwd|get_current_dir_name|"
		"canonicalize_file_name|tempnam)$/\""
	"]},"
	"{\"name\": \"libc: formatted text\", \"any\": ["
		"\"/^(__)?v?asprintf(_chk|_internal)?$/\""
	"]}"
	"]}";

static const char python_json[] =
	"{\"schema\": \"xalloc-groups/1\", \"groups\": ["
	"{\"name\": \"python: compiling and unmarshalling\", \"any\": ["
		"\"/^(_?PyMarshal_|r_object$|marshal_)/\","
		"\"/^(_?PyAST_|_PyPegen_|_?PyParser_|_?PyCode_New|_PySymtable_|PySymtable_)/\""
	"]},"
	"{\"name\": \"python: dictionaries and sets\", \"any\": ["
		"\"/^(_?PyDict_(New|Set|Insert|Resize|Copy|Merge|Update|From)|dict(resize|"
		"_resize|_merge)|insertdict|insertion_resize|new_keys_object|_?PySet_(Add|New)|"
		"set_(add|table_resize|update))/\""
	"]},"
	"{\"name\": \"python: lists and tuples\", \"any\": ["
		"\"/^(_?PyList_(New|Append|Insert|SetSlice|AsTuple)|list_(resize|append|"
		"extend)|_?PyTuple_(New|Resize|FromArray))/\""
	"]},"
	"{\"name\": \"python: text and bytes\", \"any\": ["
		"\"/^(_?PyUnicode(Writer)?_|unicode_|resize_compact|_?PyBytes(Writer)?_|"
		"_?PyByteArray_|bytes_)/\""
	"]},"
	"{\"name\": \"python: numbers\", \"any\": ["
		"\"/^_?Py(Long|Float|Complex)_/\""
	"]},"
	"{\"name\": \"python: types and objects\", \"any\": ["
		"\"/^(_?PyType_(Ready|From|GenericAlloc)|type_(new|ready)|_?PyObject_GC_New|"
		"gc_alloc|PyFunction_New|PyC(Method|Function)_New|PyMethod_New|PyCell_New|"
		"PyModule_|_?PyObject_New)/\""
	"]},"
	"{\"name\": \"python: interpreter start\", \"any\": ["
		"\"/^(Py_Initialize|_Py_Initialize|_?PyConfig_|_?PyPreConfig_|_PyRuntime|"
		"pyinit_|init_interp)/\""
	"]},"
	"{\"name\": \"python: other memory\", \"any\": ["
		"\"/^(_?PyObject_(Malloc|Calloc|Realloc)|_?PyMem_(Raw)?(Malloc|Calloc|Realloc)|"
		"new_arena)$/\""
	"]}"
	"]}";

/* Strings grow by way of Vec, and Vec by way of RawVec. */
static const char rust_std_json[] =
	"{\"schema\": \"xalloc-groups/1\", \"groups\": ["
	"{\"name\": \"rust: strings\", \"any\": ["
		"\"alloc::string\","
		"\"alloc::str\","
		"\"alloc::fmt::format\","
		"\"std::ffi::os_str\","
		"\"/alloc::ffi::c_str|<alloc::string::String/\""
	"]},"
	"{\"name\": \"rust: hash maps\", \"any\": ["
		"\"hashbrown::raw\""
	"]},"
	"{\"name\": \"rust: B-trees\", \"any\": ["
		"\"alloc::collections::btree\""
	"]},"
	"{\"name\": \"rust: vectors\", \"any\": ["
		"\"alloc::raw_vec\","
		"\"/^<?alloc::vec::/\""
	"]},"
	"{\"name\": \"rust: Rc and Arc\", \"any\": ["
		"\"/^<?alloc::(rc::Rc|sync::Arc)/\""
	"]},"
	"{\"name\": \"rust: Box\", \"any\": ["
		"\"alloc::alloc::exchange_malloc\","
		"\"/^alloc::boxed::Box.*::new/\""
	"]},"
	"{\"name\": \"rust: threads\", \"any\": ["
		"\"std::thread::Builder\","
		"\"std::sys::thread_local\","
		"\"/^std::thread::(spawn|Thread::new)/\""
	"]}"
	"]}";

/* clang-format on */

const struct builtin_rules builtin_rules[] = {
	{ "std", std_json },
	{ "libc-io", libc_io_json },
	{ "python", python_json },
	{ "rust-std", rust_std_json },
	{ NULL, NULL },
};
