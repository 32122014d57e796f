/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A module of Python's, extension.work(n): n allocation calls of 100 bytes in raw_calls, each freed; calls
 * back n times with the thread's lock given up in between. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static __attribute__((noinline)) void raw_calls(long n)
{
	long i;

	for (i = 0; i < n; i++) {
		void *volatile p = malloc(100);

		free(p);
	}
}

static PyObject *work(PyObject *self, PyObject *arguments)
{
	PyObject *callback, *result;
	long n, i;

	(void)self;
	if (!PyArg_ParseTuple(arguments, "lO", &n, &callback))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	raw_calls(n);
	Py_END_ALLOW_THREADS
	for (i = 0; i < n; i++) {
		result = PyObject_CallFunction(callback, "l", i);
		if (!result)
			return NULL;
		Py_DECREF(result);
	}
	return PyLong_FromLong(n);
}

static PyMethodDef methods[] = { { "work", work, METH_VARARGS, "" }, { NULL, NULL, 0, NULL } };

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "extension", .m_size = -1,
				     .m_methods = methods };

PyMODINIT_FUNC PyInit_extension(void)
{
	return PyModule_Create(&module);
}
