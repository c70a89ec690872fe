//! Published test vectors, as data. Every one is quoted from the document named in it.

use hex_literal::hex;

/// How key, nonce and counter make a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// RFC 8439: 96-bit nonce, 32-bit counter.
    Ietf,
    /// First publication: 64-bit nonce, 64-bit counter.
    Legacy,
    /// XChaCha: 192-bit nonce, 32-bit counter.
    Extended,
}

/// One encryption.
#[derive(Clone, Copy, Debug)]
pub struct Vector {
    /// Document and section.
    pub source: &'static str,
    /// The construction.
    pub kind: Kind,
    /// The number of rounds.
    pub rounds: u32,
    /// The key.
    pub key: &'static [u8; 32],
    /// The nonce: 12, 8 or 24 bytes by `kind`.
    pub nonce: &'static [u8],
    /// The number of the first block.
    pub counter: u64,
    /// The plaintext, or nothing where `output` is the keystream itself.
    pub input: &'static [u8],
    /// The ciphertext.
    pub output: &'static [u8],
}

/// HChaCha20: key, nonce, subkey (draft-irtf-cfrg-xchacha-03, 2.2.1).
pub const HCHACHA20: ([u8; 32], [u8; 16], [u8; 32]) = (
    hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
    hex!("000000090000004a0000000031415927"),
    hex!("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"),
);

/// The state of RFC 8439, 2.3.2 before the rounds, after the 20 rounds, and after the feed-forward.
pub const BLOCK: [[u32; 16]; 3] = [
    [
        0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c, 0x13121110,
        0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x00000001, 0x09000000, 0x4a000000, 0x00000000,
    ],
    [
        0x837778ab, 0xe238d763, 0xa67ae21e, 0x5950bb2f, 0xc4f2d0c7, 0xfc62bb2f, 0x8fa018fc, 0x3f5ec7b7, 0x335271c2,
        0xf29489f3, 0xeabda8fc, 0x82e46ebd, 0xd19c12b4, 0xb04e16de, 0x9e83d0cb, 0x4e3c50a2,
    ],
    [
        0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033, 0x9aaa2204, 0x4e6cd4c3, 0x466482d2,
        0x09aa9f07, 0x05d7c214, 0xa2028bd9, 0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2,
    ],
];

/// Two blocks of ChaCha8 keystream for an all-zero key and nonce, from block 2^64 - 1 on: the 64-bit counter wraps
/// (the vector published with Bernstein's C reference; its second block is TC1 of the Strombergson draft).
pub const WRAP: [u8; 128] = hex!(
    "df8a0bceca2fbb111f29978fa9a64407c68ced975ff55a24707265d0687e6aefb3597eac46e4b0a79b3a49c8b0f1775a"
    "c3edd7eb6a6d9bcb38f276517a79e014"
    "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e984ce172b9216f419f445367456d5619"
    "314a42a3da86b001387bfdb80e0cfe42"
);

/// Encryptions and keystreams.
pub const VECTORS: &[Vector] = &[
    Vector {
        source: "RFC 8439, 2.3.2",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
        nonce: &hex!("000000090000004a00000000"),
        counter: 1,
        input: &[],
        output: &hex!(
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4ed2826446079faa0914c2d705d98b02a2"
            "b5129cd1de164eb9cbd083e8a2503c4e"
        ),
    },
    Vector {
        source: "RFC 8439, 2.4.2",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
        nonce: &hex!("000000000000004a00000000"),
        counter: 1,
        input: b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the \
            future, sunscreen would be it.",
        output: &hex!(
            "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357"
            "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
            "5af90bbf74a35be6b40b8eedf2785e42874d"
        ),
    },
    Vector {
        source: "RFC 8439, A.1 #1",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("000000000000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a37"
            "6a43b8f41518a11cc387b669b2ee6586"
        ),
    },
    Vector {
        source: "RFC 8439, A.1 #2",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("000000000000000000000000"),
        counter: 1,
        input: &[],
        output: &hex!(
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d5"
            "31ed1f28510afb45ace10a1f4b794d6f"
        ),
    },
    Vector {
        source: "RFC 8439, A.1 #3",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000001"),
        nonce: &hex!("000000000000000000000000"),
        counter: 1,
        input: &[],
        output: &hex!(
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd"
            "4e273644c8b36125a64addeb006c13a0"
        ),
    },
    Vector {
        source: "RFC 8439, A.1 #4",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("00ff000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("000000000000000000000000"),
        counter: 2,
        input: &[],
        output: &hex!(
            "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca13b25aa26cb4a648cb9b9d1be65b2c09"
            "24a66c54d545ec1b7374f4872e99f096"
        ),
    },
    Vector {
        source: "RFC 8439, A.1 #5",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("000000000000000000000002"),
        counter: 0,
        input: &[],
        output: &hex!(
            "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c78a970e0e955c14f3a88e741b97c286f7"
            "5f8fc299e8148362fa198a39531bed6d"
        ),
    },
    Vector {
        source: "RFC 8439, A.2 #2",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000001"),
        nonce: &hex!("000000000000000000000002"),
        counter: 1,
        input: b"Any submission to the IETF intended by the Contributor for publication as all or part of \
            an IETF Internet-Draft or RFC and any statement made within the context of an IETF \
            activity is considered an \"IETF Contribution\". Such statements include oral statements in \
            IETF sessions, as well as written and electronic communications made at any time or \
            place, which are addressed to",
        output: &hex!(
            "a3fbf07df3fa2fde4f376ca23e82737041605d9f4f4f57bd8cff2c1d4b7955ec2a97948bd3722915c8f3d337f7d37005"
            "0e9e96d647b7c39f56e031ca5eb6250d4042e02785ececfa4b4bb5e8ead0440e20b6e8db09d881a7c6132f420e527950"
            "42bdfa7773d8a9051447b3291ce1411c680465552aa6c405b7764d5e87bea85ad00f8449ed8f72d0d662ab052691ca66"
            "424bc86d2df80ea41f43abf937d3259dc4b2d0dfb48a6c9139ddd7f76966e928e635553ba76c5c879d7b35d49eb2e62b"
            "0871cdac638939e25e8a1e0ef9d5280fa8ca328b351c3c765989cbcf3daa8b6ccc3aaf9f3979c92b3720fc88dc95ed84"
            "a1be059c6499b9fda236e7e818b04b0bc39c1e876b193bfe5569753f88128cc08aaa9b63d1a16f80ef2554d7189c411f"
            "5869ca52c5b83fa36ff216b9c1d30062bebcfd2dc5bce0911934fda79a86f6e698ced759c3ff9b6477338f3da4f9cd85"
            "14ea9982ccafb341b2384dd902f3d1ab7ac61dd29c6f21ba5b862f3730e37cfdc4fd806c22f221"
        ),
    },
    Vector {
        source: "RFC 8439, A.2 #3",
        kind: Kind::Ietf,
        rounds: 20,
        key: &hex!("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0"),
        nonce: &hex!("000000000000000000000002"),
        counter: 42,
        input: b"'Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\nAll mimsy were the \
            borogoves,\nAnd the mome raths outgrabe.",
        output: &hex!(
            "62e6347f95ed87a45ffae7426f27a1df5fb69110044c0d73118effa95b01e5cf166d3df2d721caf9b21e5fb14c616871"
            "fd84c54f9d65b283196c7fe4f60553ebf39c6402c42234e32a356b3e764312a61a5532055716ead6962568f87d3f3f77"
            "04c6a8d1bcd1bf4d50d6154b6da731b187b58dfd728afa36757a797ac188d1"
        ),
    },
    Vector {
        source: "draft-irtf-cfrg-xchacha-03, A.3.2, block counter 0",
        kind: Kind::Extended,
        rounds: 20,
        key: &hex!("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
        nonce: &hex!("404142434445464748494a4b4c4d4e4f5051525354555658"),
        counter: 0,
        input: b"The dhole (pronounced \"dole\") is also known as the Asiatic wild dog, red dog, and \
            whistling dog. It is about the size of a German shepherd but looks more like a \
            long-legged fox. This highly elusive and skilled jumper is classified with wolves, \
            coyotes, jackals, and foxes in the taxonomic family Canidae.",
        output: &hex!(
            "4559abba4e48c16102e8bb2c05e6947f50a786de162f9b0b7e592a9b53d0d4e98d8d6410d540a1a6375b26d80dace4fa"
            "b52384c731acbf16a5923c0c48d3575d4d0d2c673b666faa731061277701093a6bf7a158a8864292a41c48e3a9b4c0da"
            "ece0f8d98d0d7e05b37a307bbb66333164ec9e1b24ea0d6c3ffddcec4f68e7443056193a03c810e11344ca06d8ed8a2b"
            "fb1e8d48cfa6bc0eb4e2464b748142407c9f431aee769960e15ba8b96890466ef2457599852385c661f752ce20f9da0c"
            "09ab6b19df74e76a95967446f8d0fd415e7bee2a12a114c20eb5292ae7a349ae577820d5520a1f3fb62a17ce6a7e68fa"
            "7c79111d8860920bc048ef43fe84486ccb87c25f0ae045f0cce1e7989a9aa220a28bdd4827e751a24a6d5c62d790a663"
            "93b93111c1a55dd7421a10184974c7c5"
        ),
    },
    Vector {
        source: "draft-irtf-cfrg-xchacha-03, A.3.2, block counter 1",
        kind: Kind::Extended,
        rounds: 20,
        key: &hex!("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
        nonce: &hex!("404142434445464748494a4b4c4d4e4f5051525354555658"),
        counter: 1,
        input: b"The dhole (pronounced \"dole\") is also known as the Asiatic wild dog, red dog, and \
            whistling dog. It is about the size of a German shepherd but looks more like a \
            long-legged fox. This highly elusive and skilled jumper is classified with wolves, \
            coyotes, jackals, and foxes in the taxonomic family Canidae.",
        output: &hex!(
            "7d0a2e6b7f7c65a236542630294e063b7ab9b555a5d5149aa21e4ae1e4fbce87ecc8e08a8b5e350abe622b2ffa617b20"
            "2cfad72032a3037e76ffdcdc4376ee053a190d7e46ca1de04144850381b9cb29f051915386b8a710b8ac4d027b8b050f"
            "7cba5854e028d564e453b8a968824173fc16488b8970cac828f11ae53cabd20112f87107df24ee6183d2274fe4c8b148"
            "5534ef2c5fbc1ec24bfc3663efaa08bc047d29d25043532db8391a8a3d776bf4372a6955827ccb0cdd4af403a7ce4c63"
            "d595c75a43e045f0cce1f29c8b93bd65afc5974922f214a40b7c402cdb91ae73c0b63615cdad0480680f16515a7ace9d"
            "39236464328a37743ffc28f4ddb324f4d0f5bbdc270c65b1749a6efff1fbaa09536175ccd29fb9e6057b307320d31683"
            "8a9c71f70b5b5907a66f7ea49aadc409"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC1, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e984ce172b9216f419f445367456d5619"
            "314a42a3da86b001387bfdb80e0cfe42d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
            "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC1, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "9bf49a6a0755f953811fce125f2683d50429c3bb49e074147e0089a52eae155f0564f879d27ae3c02ce82834acfa8c79"
            "3a629f2ca0de6919610be82f411326be0bd58841203e74fe86fc71338ce0173dc628ebb719bdcbcc151585214cc089b4"
            "42258dcda14cf111c602b8971b8cc843e91e46ca905151c02744a6b017e69316"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC1, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a37"
            "6a43b8f41518a11cc387b669b2ee65869f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC2, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("0100000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea289d04f43c7518db56eb4433e498a123"
            "8cd8464d3763ddbb9222ee3bd8fae3c8b4355a7d93dd8867089ee643558b95754efa2bd1a8a1e2d75bcdb32015542638"
            "291941feb49965587c4fdfe219cf0ec132a6cd4dc067392e67982fe53278c0b4"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC2, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("0100000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "12056e595d56b0f6eef090f0cd25a20949248c2790525d0f930218ff0b4ddd10a6002239d9a454e29e107a7d06fefdfe"
            "f0210feba044f9f29b1772c960dc29c00c7366c5cbc604240e665eb02a69372a7af979b26fbb78092ac7c4b88029a7c8"
            "54513bc217bbfc7d90432e308eba15afc65aeb48ef100d5601e6afba257117a9"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC2, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("0100000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0000000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "c5d30a7ce1ec119378c84f487d775a8542f13ece238a9455e8229e888de85bbd29eb63d0a17a5b999b52da22be4023eb"
            "07620a54f6fa6ad8737b71eb0464dac010f656e6d1fd55053e50c4875c9930a33f6d0263bd14dfd6ab8c70521c19338b"
            "2308b95cf8d0bb7d202d2102780ea3528f1cb48560f76b20f382b942500fceac"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC3, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0100000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "2b8f4bb3798306ca5130d47c4f8d4ed13aa0edccc1be6942090faeeca0d7599b7ff0fe616bb25aa0153ad6fdc88b9549"
            "03c22426d478b97b22b8f9b1db00cf06470bdffbc488a8b7c701ebf4061d75c5969186497c95367809afa80bd843b040"
            "a79abc6e73a91757f1db73c8eacfa543b38f289d065ab2f3032d377b8c37fe46"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC3, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0100000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "64b8bdf87b828c4b6dbaf7ef698de03df8b33f635714418f9836ade59be1296946c953a0f38ecffc9ecb98e81d5d99a5"
            "edfc8f9a0a45b9e41ef3b31f028f1d0f559db4a7f222c442fe23b9a2596a88285122ee4f1363896ea77ca150912ac723"
            "bff04b026a2f807e03b29c02077d7b06fc1ab9827c13c8013a6d83bd3b52a26f"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC3, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("0000000000000000000000000000000000000000000000000000000000000000"),
        nonce: &hex!("0100000000000000"),
        counter: 0,
        input: &[],
        output: &hex!(
            "ef3fdfd6c61578fbf5cf35bd3dd33b8009631634d21e42ac33960bd138e50d32111e4caf237ee53ca8ad6426194a8854"
            "5ddc497a0b466e7d6bbdb0041b2f586b5305e5e44aff19b235936144675efbe4409eb7e8e5f1430f5f5836aeb49bb532"
            "8b017c4b9dc11f8a03863fa803dc71d5726b2b6b31aa32708afe5af1d6b69058"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC4, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
        nonce: &hex!("ffffffffffffffff"),
        counter: 0,
        input: &[],
        output: &hex!(
            "e163bbf8c9a739d18925ee8362dad2cdc973df05225afb2aa26396f2a9849a4a445e0547d31c1623c537df4ba85c70a9"
            "884a35bcbf3dfab077e98b0f68135f5481d4933f8b322ac0cd762c27235ce2b31534e0244a9a2f1fd5e94498d47ff108"
            "790c009cf9e1a348032a7694cb28024cd96d3498361edb1785af752d187ab54b"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC4, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
        nonce: &hex!("ffffffffffffffff"),
        counter: 0,
        input: &[],
        output: &hex!(
            "04bf88dae8e47a228fa47b7e6379434ba664a7d28f4dab84e5f8b464add20c3acaa69c5ab221a23a57eb5f345c96f4d1"
            "322d0a2ff7a9cd43401cd536639a615a5c9429b55ca3c1b55354559669a154aca46cd761c41ab8ace385363b95675f06"
            "8e18db5a673c11291bd4187892a9a3a33514f3712b26c13026103298ed76bc9a"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC4, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"),
        nonce: &hex!("ffffffffffffffff"),
        counter: 0,
        input: &[],
        output: &hex!(
            "d9bf3f6bce6ed0b54254557767fb57443dd4778911b606055c39cc25e674b8363feabc57fde54f790c52c8ae43240b79"
            "d49042b777bfd6cb80e931270b7f50eb5bac2acd86a836c5dc98c116c1217ec31d3a63a9451319f097f3b4d6dab07787"
            "19477d24d24b403a12241d7cca064f790f1d51ccaff6b1667d4bbca1958c4306"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC5, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("5555555555555555555555555555555555555555555555555555555555555555"),
        nonce: &hex!("5555555555555555"),
        counter: 0,
        input: &[],
        output: &hex!(
            "7cb78214e4d3465b6dc62cf7a1538c88996952b4fb72cb6105f1243ce3442e2975a59ebcd2b2a598290d7538491fe65b"
            "dbfefd060d88798120a70d049dc2677dd48ff5a2513e497a5d54802d7484c4f1083944d8d0d14d6482ce09f7e5ebf20b"
            "29807d62c31874d02f5d3cc85381a745ecbc60525205e300a76961bfe51ac07c"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC5, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("5555555555555555555555555555555555555555555555555555555555555555"),
        nonce: &hex!("5555555555555555"),
        counter: 0,
        input: &[],
        output: &hex!(
            "a600f07727ff93f3da00dd74cc3e8bfb5ca7302f6a0a2944953de00450eecd40b860f66049f2eaed63b2ef39cc310d2c"
            "488f5d9a241b615dc0ab70f921b91b95140eff4aa495ac61289b6bc57de072419d09daa7a7243990daf348a8f2831e59"
            "7cf379b3b284f00bda27a4c68085374a8a5c38ded62d1141cae0bb838ddc2232"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC5, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("5555555555555555555555555555555555555555555555555555555555555555"),
        nonce: &hex!("5555555555555555"),
        counter: 0,
        input: &[],
        output: &hex!(
            "bea9411aa453c5434a5ae8c92862f564396855a9ea6e22d6d3b50ae1b3663311a4a3606c671d605ce16c3aece8e61ea1"
            "45c59775017bee2fa6f88afc758069f7e0b8f676e644216f4d2a3422d7fa36c6c4931aca950e9da42788e6d0b6d1cd83"
            "8ef652e97b145b14871eae6c6804c7004db5ac2fce4c68c726d004b10fcaba86"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC6, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        nonce: &hex!("aaaaaaaaaaaaaaaa"),
        counter: 0,
        input: &[],
        output: &hex!(
            "40f9ab86c8f9a1a0cdc05a75e5531b612d71ef7f0cf9e387df6ed6972f0aae21311aa581f816c90e8a99de990b6b95aa"
            "c92450f4e112712667b804c99e9c6edaf8d144f560c8c0ea36880d3b77874c9a9103d147f6ded386284801a4ee158e5e"
            "a4f9c093fc55fd344c33349dc5b699e21dc83b4296f92ee3ecabf3d51f95fe3f"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC6, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        nonce: &hex!("aaaaaaaaaaaaaaaa"),
        counter: 0,
        input: &[],
        output: &hex!(
            "856505b01d3b47aae03d6a97aa0f033a9adcc94377babd8608864fb3f625b6e314f086158f9f725d811eeb953b7f7470"
            "76e4c3f639fa841fad6c9a709e6213976dd6ee9b5e1e2e676b1c9e2b82c2e96c1648437bff2f0126b74e8ce0a9b06d17"
            "20ac0b6f09086f28bc201587f0535ed9385270d08b4a9382f18f82dbde18210e"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC6, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        nonce: &hex!("aaaaaaaaaaaaaaaa"),
        counter: 0,
        input: &[],
        output: &hex!(
            "9aa2a9f656efde5aa7591c5fed4b35aea2895dec7cb4543b9e9f21f5e7bcbcf3c43c748a970888f8248393a09d43e0b7"
            "e164bc4d0b0fb240a2d72115c480890672184489440545d021d97ef6b693dfe5b2c132d47e6f041c9063651f96b623e6"
            "2a11999a23b6f7c461b2153026ad5e866a2e597ed07b8401dec63a0934c6b2a9"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC7, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100"),
        nonce: &hex!("0f1e2d3c4b5a6978"),
        counter: 0,
        input: &[],
        output: &hex!(
            "db43ad9d1e842d1272e4530e276b3f568f8859b3f7cf6d9d2c74fa53808cb5157a8ebf46ad3dcc4b6c7dadde131784b0"
            "120e0e22f6d5f9ffa7407d4a21b695d9c5dd30bf55612fab9bdd118920c19816470c7f5dcd42325dbbed8c57a56281c1"
            "44cb0f03e81b3004624e0650a1ce5afaf9a7cd8163f6dbd72602257dd96e471e"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC7, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100"),
        nonce: &hex!("0f1e2d3c4b5a6978"),
        counter: 0,
        input: &[],
        output: &hex!(
            "7ed12a3a63912ae941ba6d4c0d5e862e568b0e5589346935505f064b8c2698dbf7d850667d8e67be639f3b4f6a16f92e"
            "65ea80f6c7429445da1fc2c1b9365040e32e50c4106f3b3da1ce7ccb1e7140b153493c0f3ad9a9bcff077ec4596f1d0f"
            "29bf9cbaa502820f732af5a93c49eee33d1c4f12af3b4297af91fe41ea9e94a2"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC7, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100"),
        nonce: &hex!("0f1e2d3c4b5a6978"),
        counter: 0,
        input: &[],
        output: &hex!(
            "9fadf409c00811d00431d67efbd88fba59218d5d6708b1d685863fabbb0e961eea480fd6fb532bfd494b215101505742"
            "3ab60a63fe4f55f7a212e2167ccab931fbfd29cf7bc1d279eddf25dd316bb8843d6edee0bd1ef121d12fa17cbc2c574c"
            "ccab5e275167b08bd686f8a09df87ec3ffb35361b94ebfa13fec0e4889d18da5"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC8, 8 rounds",
        kind: Kind::Legacy,
        rounds: 8,
        key: &hex!("c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d"),
        nonce: &hex!("1ada31d5cf688221"),
        counter: 0,
        input: &[],
        output: &hex!(
            "838751b42d8ddd8a3d77f48825a2ba752cf4047cb308a5978ef274973be374c96ad848065871417b08f034e681fe46a9"
            "3f7d5c61d1306614d4aaf257a7cff08b16f2fda170cc18a4b58a2667ed962774af792a6e7f3c77992540711a7a136d7e"
            "8a2f8d3f93816709d45a3fa5f8ce72fde15be7b841acba3a2abd557228d9fe4f"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC8, 12 rounds",
        kind: Kind::Legacy,
        rounds: 12,
        key: &hex!("c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d"),
        nonce: &hex!("1ada31d5cf688221"),
        counter: 0,
        input: &[],
        output: &hex!(
            "1482072784bc6d06b4e73bdc118bc0103c7976786ca918e06986aa251f7e9cc1b2749a0a16ee83b4242d2e99b08d7c20"
            "092b80bc466c87283b61b1b39d0ffbabd94b116bc1ebdb329b9e4f620db695544a8e3d9b68473d0c975a46ad966ed631"
            "e42aff530ad5eac7d8047adfa1e5113c91f3e3b883f1d189ac1c8fe07ba5a42b"
        ),
    },
    Vector {
        source: "draft-strombergson-chacha-test-vectors-01, TC8, 20 rounds",
        kind: Kind::Legacy,
        rounds: 20,
        key: &hex!("c46ec1b18ce8a878725a37e780dfb7351f68ed2e194c79fbc6aebee1a667975d"),
        nonce: &hex!("1ada31d5cf688221"),
        counter: 0,
        input: &[],
        output: &hex!(
            "f63a89b75c2271f9368816542ba52f06ed49241792302b00b5e8f80ae9a473afc25b218f519af0fdd406362e8d69de7f"
            "54c604a6e00f353f110f771bdca8ab92e5fbc34e60a1d9a9db17345b0a402736853bf910b060bdf1f897b6290f01d138"
            "ae2c4c90225ba9ea14d518f55929dea098ca7a6ccfe61227053c84e49a4a3332"
        ),
    },
];
