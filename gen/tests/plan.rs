use generator::plan::*;
#[test]
fn chacha20() {
    let q = [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ];
    let mut steps: Vec<Need> = Vec::new();
    let mut last = [usize::MAX; 16];
    for _ in 0..10 {
        for g in q {
            let set = g.iter().fold(0u64, |s, v| s | 1 << v);
            let after = g.iter().map(|&v| last[v]).filter(|&l| l != usize::MAX).collect();
            for v in g {
                last[v] = steps.len();
            }
            steps.push(Need { reads: set, writes: set, temps: 0, after });
        }
    }
    for v in 0..16 {
        steps.push(Need { reads: 1 << v | 1 << 16, writes: 0, temps: 0, after: vec![last[v]] });
    }
    for (name, cost) in
        [("m3", MoveCost { load: 1, load_batch: 1, save: 1, save_fresh: 0 }), ("m4f", MoveCost { load: 1, load_batch: 0, save: 1, save_fresh: 0 })]
    {
        let p = Problem {
            registers: 14,
            steps: steps.clone(),
            inputs: (0..16).map(|v| (v, Some(17))).collect(),
            resident: 3 << 16,
            cost,
            ..Problem::default()
        };
        let t = std::time::Instant::now();
        let (actions, cost) = plan(&p).unwrap();
        println!("{name} {cost} {:?}", t.elapsed());
        println!("{actions:?}");
    }
}
