# SPDX-License-Identifier: GPL-3.0-or-later
# Hashes, threads, a fork, C extensions (json, digest), fibers, a compacting collector, an exception, a child.
require 'digest'
require 'json'

words = (1..5000).map { |i| "word#{(i * 7919) % 1009}" }
count = words.each_with_object(Hash.new(0)) { |w, h| h[w] += 1 }
threads = 4.times.map { |k| Thread.new { (0...1000).map { |i| (i * k).to_s }.join.size } }
pid = fork do
  puts JSON.generate(count.first(3).to_h)
  $stdout.flush
  exit!(3)
end
Process.wait pid
puts $?.exitstatus, count.size, threads.map(&:value).inspect, Digest::SHA256.hexdigest(words.join)[0, 16]
GC.start
GC.compact if GC.respond_to?(:compact)
fiber = Fiber.new { Fiber.yield 1; 2 }
puts fiber.resume + fiber.resume
begin
  raise 'raised'
rescue => e
  puts e.message
end
puts `echo a child`
warn 'to standard error'
exit 5
