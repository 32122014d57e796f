/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps, threads, zlib, memory outside the heap, faults that the virtual machine handles, a child. */
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.Deflater;

public class Words {
	static int deeper(int i)
	{
		return deeper(i + 1) + 1;
	}

	static int lengthOf(int k)
	{
		StringBuilder text = new StringBuilder();

		for (int i = 0; i < 10000; i++)
			text.append(i * k);
		return text.length();
	}

	public static void main(String[] arguments) throws Exception
	{
		Map<String, Integer> count = new TreeMap<>();
		ExecutorService threads = Executors.newFixedThreadPool(4);
		List<Future<Integer>> lengths = new ArrayList<>();
		Deflater deflater = new Deflater();
		Object none = null;

		for (int i = 0; i < 200000; i++)
			count.merge("word" + (i * 7919L) % 1009, 1, Integer::sum);
		System.out.println(count.size() + " " + count.get("word5"));
		for (int k = 0; k < 8; k++) {
			final int factor = k;
			lengths.add(threads.submit(() -> lengthOf(factor)));
		}
		for (Future<Integer> length : lengths)
			System.out.println(length.get());
		threads.shutdown();
		deflater.setInput(new byte[100000]);
		deflater.finish();
		System.out.println(deflater.deflate(new byte[1000]));
		deflater.end();
		System.out.println(ByteBuffer.allocateDirect(1 << 20).capacity());
		try {
			none.hashCode();
		} catch (NullPointerException e) {
			System.out.println("null");
		}
		try {
			deeper(0);
		} catch (StackOverflowError e) {
			System.out.println("deep");
		}
		Process child = new ProcessBuilder("echo", "a child").start();
		System.out.print(new String(child.getInputStream().readAllBytes()));
		System.out.println(child.waitFor());
		System.err.println("to standard error");
		System.gc();
		System.exit(5);
	}
}
