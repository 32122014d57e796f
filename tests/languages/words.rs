// SPDX-License-Identifier: GPL-3.0-or-later

// Maps, threads, a panic that is caught, a child. make_boxes makes 1,000 allocation calls, wide_boxes 100 aligned ones. With
// --cfg jemalloc the allocator is jemalloc, as Rust's bindings of it call it: by its own functions.
use std::collections::HashMap;

#[cfg(jemalloc)]
mod jemalloc {
    use std::alloc::{GlobalAlloc, Layout};

    extern "C" {
        fn mallocx(bytes: usize, flags: i32) -> *mut u8;
        fn rallocx(p: *mut u8, bytes: usize, flags: i32) -> *mut u8;
        fn sdallocx(p: *mut u8, bytes: usize, flags: i32);
    }

    struct Jemalloc;

    fn flags(layout: Layout) -> i32 {
        layout.align().trailing_zeros() as i32
    }

    unsafe impl GlobalAlloc for Jemalloc {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            mallocx(layout.size(), flags(layout))
        }
        unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
            sdallocx(p, layout.size(), flags(layout))
        }
        unsafe fn realloc(&self, p: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
            rallocx(p, bytes, flags(layout))
        }
    }

    #[global_allocator]
    static ALLOCATOR: Jemalloc = Jemalloc;
}

#[repr(align(64))]
#[allow(dead_code)]
struct Wide([u8; 64]);

#[inline(never)]
fn make_boxes() -> usize {
    (0..1000usize).map(|i| *std::hint::black_box(Box::new(i))).sum()
}

#[inline(never)]
fn wide_boxes() -> usize {
    (0..100).map(|i| std::hint::black_box(Box::new(Wide([i as u8; 64]))).0[5] as usize).sum()
}

fn main() {
    let mut count: HashMap<String, u32> = HashMap::new();
    for i in 0..20000u64 {
        *count.entry(format!("word{}", (i * 7919) % 1009)).or_insert(0) += 1;
    }
    println!("{} {} {} {}", count.len(), count["word5"], make_boxes(), wide_boxes());
    let threads: Vec<_> = (0..4)
        .map(|k| {
            std::thread::spawn(move || (0..1000).map(|i| (i * k).to_string()).collect::<String>().len())
        })
        .collect();
    for thread in threads {
        println!("{}", thread.join().unwrap());
    }
    std::panic::set_hook(Box::new(|_| eprintln!("panicked")));
    let none: Vec<i32> = Vec::new();
    println!("{}", std::panic::catch_unwind(|| none[std::hint::black_box(1)]).is_err());
    let said = std::process::Command::new("echo").arg("a child").output().unwrap();
    print!("{}", String::from_utf8(said.stdout).unwrap());
    std::process::exit(5);
}
