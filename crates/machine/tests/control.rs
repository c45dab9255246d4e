//! Branches, loops and hosts.

use ferrograph_machine::{ASK, Arg, Code, Inst, Op, Place, Program, Type};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn compute(op: Op, on: Type, to: u32, a: Arg, b: Arg) -> Inst {
    let args = [a, b, Arg::Bits(0)];
    Inst::Compute { op, on, to, args }
}

/// Counts from 0 to what is behind pointer 0, for pointer 1, with these instructions in the body.
fn counter(mut inner: Vec<Inst>) -> Program {
    let [n, i, goes_on] = [0, 1, 2];
    inner.push(compute(Op::Add, Type::I64, i, Arg::Var(i), Arg::Bits(1)));
    let place = |pointer| Place { pointer, offset: 0 };
    Program {
        vars: vec![Type::I64, Type::I64, Type::Bool],
        runs: vec![],
        loads: vec![(place(0), n)],
        body: vec![
            Inst::Copy {
                to: i,
                from: Arg::Bits(0),
            },
            Inst::Loop {
                head: vec![compute(
                    Op::Less,
                    Type::I64,
                    goes_on,
                    Arg::Var(i),
                    Arg::Var(n),
                )],
                condition: Arg::Var(goes_on),
                body: inner,
            },
        ],
        stores: vec![(Arg::Var(i), Type::I64, place(1))],
    }
}

fn run(program: &Program, n: i64, host: &mut dyn FnMut(u32) -> bool) -> (bool, i64) {
    let code = Code::compile(program).unwrap();
    let (mut n, mut out) = (n, -1i64);
    let pointers: [*mut u8; 2] = [(&raw mut n).cast(), (&raw mut out).cast()];
    // SAFETY: both pointers are to integers of 64 bits, as the program says.
    let ended = unsafe { code.run(pointers.as_ptr(), host) };
    (ended, out)
}

#[test]
fn a_loop_runs_until_its_condition_fails() {
    for n in [-1, 0, 1, 10] {
        assert_eq!(run(&counter(vec![]), n, &mut |_| true), (true, n.max(0)));
    }
}

#[test]
fn an_endless_loop_asks_and_stops_without_a_result() {
    let mut asked = 0;
    let found = run(&counter(vec![]), i64::MAX, &mut |number| {
        assert_eq!(number, ASK);
        asked += 1;
        asked < 5
    });
    assert_eq!((asked, found), (5, (false, -1)));
}

#[test]
fn a_host_sees_what_is_written_for_it_and_gives_values_back() {
    let place = Place {
        pointer: 1,
        offset: 0,
    };
    let call = Inst::Host {
        number: 7,
        stores: vec![(Arg::Var(1), Type::I64, place)],
        loads: vec![(place, 1)],
    };
    let code = Code::compile(&counter(vec![call])).unwrap();
    let (mut n, mut cell) = (100i64, 0i64);
    let at = &raw mut cell;
    let pointers: [*mut u8; 2] = [(&raw mut n).cast(), at.cast()];
    let mut seen = Vec::new();
    // SAFETY: both pointers are to integers of 64 bits, which outlive the run.
    let ended = unsafe {
        code.run(pointers.as_ptr(), &mut |number| {
            assert_eq!(number, 7);
            seen.push(*at);
            *at = *at * 3 + 1;
            true
        })
    };
    assert!(ended);
    assert_eq!((seen, cell), (vec![0, 2, 8, 26, 80], 242));
}

#[test]
fn a_panic_of_the_host_goes_on_behind_the_code() {
    let call = Inst::Host {
        number: 0,
        stores: vec![],
        loads: vec![],
    };
    let caught = catch_unwind(AssertUnwindSafe(|| {
        run(&counter(vec![call]), 3, &mut |_| {
            std::panic::resume_unwind(Box::new(17))
        })
    }));
    assert_eq!(caught.unwrap_err().downcast_ref(), Some(&17));
}

#[test]
fn branches_join_their_variables() {
    let odd = 2;
    let body = vec![
        compute(Op::FloorMod, Type::I64, 1, Arg::Var(1), Arg::Bits(2)),
        compute(Op::Equal, Type::I64, odd, Arg::Var(1), Arg::Bits(1)),
        Inst::If {
            condition: Arg::Var(odd),
            then_side: vec![Inst::Copy {
                to: 1,
                from: Arg::Bits(10),
            }],
            else_side: vec![],
        },
    ];
    let mut program = counter(vec![]);
    program.body = body;
    program.loads.push((
        Place {
            pointer: 0,
            offset: 0,
        },
        1,
    ));
    assert_eq!(run(&program, 6, &mut |_| true), (true, 0));
    assert_eq!(run(&program, -7, &mut |_| true), (true, 10));
}

#[test]
fn memory_of_dropped_code_is_given_back() {
    let pages = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split(' ')
            .next()
            .and_then(|n| n.parse::<i64>().ok())
            .unwrap_or(0)
    };
    drop(Code::compile(&counter(vec![])).unwrap());
    let before = pages();
    for _ in 0..1000 {
        drop(Code::compile(&counter(vec![])).unwrap());
    }
    assert!(pages() - before < 500, "{} pages more", pages() - before);
}

#[test]
fn elements_are_read_from_where_a_variable_says() {
    let (sum, x) = (3, 4);
    let add = compute(Op::Add, Type::I64, sum, Arg::Var(sum), Arg::Var(x));
    let read = Inst::Read {
        stores: vec![(
            Arg::Bits(5),
            Type::I64,
            Place {
                pointer: 1,
                offset: 16,
            },
        )],
        pointer: 1,
        at: Arg::Var(1),
        loads: vec![(1, x)],
    };
    let mut program = counter(vec![read, add]);
    program.vars.extend([Type::I64, Type::I64]);
    program.body.insert(
        0,
        Inst::Copy {
            to: sum,
            from: Arg::Bits(0),
        },
    );
    program.stores[0].0 = Arg::Var(sum);
    let code = Code::compile(&program).unwrap();
    let (mut n, mut numbers) = (3i64, [1i64, 20, 300, 4000]);
    let pointers: [*mut u8; 2] = [(&raw mut n).cast(), numbers.as_mut_ptr().cast()];
    // SAFETY: the pointers are to as many integers of 64 bits as the program reads and writes.
    assert!(unsafe { code.run(pointers.as_ptr(), &mut |_| true) });
    assert_eq!(numbers, [20 + 5 + 4000, 20, 5, 4000]);
}
