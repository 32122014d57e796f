// SPDX-License-Identifier: GPL-3.0-or-later
// Each thing of Rust's library that the built-in set `rust-std` has a group for, some of them often.
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

fn main() {
    let mut numbers: Vec<u32> = Vec::new();
    let mut table = HashMap::new();
    let mut tree = BTreeMap::new();
    for i in 0..1000 {
        numbers.push(i);
    }
    let text = format!("{}{}", numbers.len(), "x".repeat(100));
    for i in 0..100 {
        table.insert(i, text.clone());
        tree.insert(i, i);
    }
    let counted = Rc::new([0u8; 50]);
    let shared = Arc::new(vec![1, 2, 3]);
    let boxed: Box<[u8; 100]> = Box::new([1; 100]);
    let thread = std::thread::spawn(move || shared.len());
    let length = thread.join().unwrap();
    println!("{} {} {} {} {}", table.len(), tree.len(), counted.len(), boxed.len(), length);
}
