// The files that make up Cassandra, each with its SHA-256: `org.apache.cassandra:cassandra-all` with its run-time
// dependencies, without the libraries for systems other than Linux. Made from `mvn dependency:copy-dependencies
// -Dmdep.useRepositoryLayout=true`. Paths are those of Maven Central.

export const CASSANDRA_VERSION = '5.0.9';

export interface Jar {
  readonly path: string;
  readonly sha256: string;
}

/** A path and its digest per line. */
const LINES = `
at/yawk/lz4/lz4-java/1.10.1/lz4-java-1.10.1.jar a58a84c4271e50df4c96ed916ccb7e48a869f8ed9cdcda1ad5d3d4c33b0214a3
ch/obermuhlner/big-math/2.3.0/big-math-2.3.0.jar d921bc4e0c57e3d90c7d161142411728d7e72ac975c6dda4914faf292aa83648
ch/qos/logback/logback-classic/1.5.18/logback-classic-1.5.18.jar 3e1533d0321f8815eef46750aee0111b41554f9a4644c3c4d2d404744b09f60f
ch/qos/logback/logback-core/1.5.18/logback-core-1.5.18.jar 85139e7b57b464f8e5e36326dd81317648bed199ccc4f98cd42585f8d7571027
com/beust/jcommander/1.30/jcommander-1.30.jar 8c65d42f55742925128d57079e7337f5c80c34e1f937191ad16daa33b59777a8
com/boundary/high-scale-lib/1.0.6/high-scale-lib-1.0.6.jar e529306290e184905443f2b190853fb0e6ce158d15e8eadba7cc8b22af52a650
com/carrotsearch/hppc/0.8.1/hppc-0.8.1.jar f540703478636d88f699f4666242e6fc9175a996c08ddceaf02106517b970406
com/clearspring/analytics/stream/2.5.2/stream-2.5.2.jar dab345a648e0f215835501d2ac6bea1a6872f582c53b0dfd9fb6e8348f07be62
com/fasterxml/jackson/core/jackson-annotations/2.19.2/jackson-annotations-2.19.2.jar e516743a316dcf83c572ffc9cb6e8c5e8c134880c8c5155b02f7b34e9c5dc3cf
com/fasterxml/jackson/core/jackson-core/2.19.2/jackson-core-2.19.2.jar aa77eaf29293a868c47372194f7c5287d77d9370b04ea25d3fffc1e4904b5880
com/fasterxml/jackson/core/jackson-databind/2.19.2/jackson-databind-2.19.2.jar 0a1bd4e9b0d670e632d40ee8c625ad376233502f03c2f5889baea95d025b47a7
com/fasterxml/jackson/datatype/jackson-datatype-jsr310/2.19.2/jackson-datatype-jsr310-2.19.2.jar 9709f43e0fa5625633ee66db6c078fb1e8c7ca02092696ba95ea785dbf0fa6a1
com/github/ben-manes/caffeine/caffeine/3.1.8/caffeine-3.1.8.jar 7dd15f9df1be238ffaa367ce6f556737a88031de4294dad18eef57c474ddf1d3
com/github/jbellis/jamm/0.4.0/jamm-0.4.0.jar f8f0457e388c4d0f69a4510c89fce8b2a79129e726b46a756ab840fd7ba82387
com/github/jnr/jffi/1.3.11/jffi-1.3.11-native.jar f4c26c0a4a3eddfdbaaf4dda77d4d9f7d148ba4208798f32ce475ce4d6778744
com/github/jnr/jffi/1.3.11/jffi-1.3.11.jar 74d3bce7397b4872ccb6a6fd84b8f260503f76509adc9548029f665852ad38d7
com/github/jnr/jnr-a64asm/1.0.0/jnr-a64asm-1.0.0.jar 53ae5ea7fa5c284e8279aa348e7b9de4548b0cae10bfd058fa217c791875e4cf
com/github/jnr/jnr-constants/0.10.4/jnr-constants-0.10.4.jar 9a5b8cf9798d9d0331b8d8966c5235a22c4307676e35803a24659e6d76096f78
com/github/jnr/jnr-ffi/2.2.13/jnr-ffi-2.2.13.jar d309575e8d080785988dc51b6636ae67738561c3d1453e8b24f9501301e00296
com/github/jnr/jnr-x86asm/1.0.2/jnr-x86asm-1.0.2.jar 39f3675b910e6e9b93825f8284bec9f4ad3044cd20a6f7c8ff9e2f8695ebf21e
com/github/luben/zstd-jni/1.5.7-2/zstd-jni-1.5.7-2.jar c5530c6fe99df04f9ac041e1b11fcb5772a7f4218c727d7273e0a6e5948b5d12
com/github/seancfoley/ipaddress/5.3.3/ipaddress-5.3.3.jar a8485113300d367306258a2663491fba8b1b746d00ca0df88d3943994cc0f7b9
com/google/code/findbugs/jsr305/2.0.2/jsr305-2.0.2.jar 1e7f53fa5b8b5c807e986ba335665da03f18d660802d8bf061823089d1bee468
com/google/guava/failureaccess/1.0.1/failureaccess-1.0.1.jar a171ee4c734dd2da837e4b16be9df4661afab72a41adaf31eb84dfdaf936ca26
com/google/guava/guava/32.0.1-jre/guava-32.0.1-jre.jar bd7fa227591fb8509677d0d1122cf95158f3b8a9f45653f58281d879f6dc48c5
com/google/j2objc/j2objc-annotations/1.3/j2objc-annotations-1.3.jar 21af30c92267bd6122c0e0b4d20cccb6641a37eaf956c6540ec471d584e64a7b
com/googlecode/concurrent-trees/concurrent-trees/2.4.0/concurrent-trees-2.4.0.jar d8dd983b207e86f580ba2105747cb271f8b90f24b89c7447493d9125a472dc5d
com/vdurmont/semver4j/3.1.0/semver4j-3.1.0.jar 0f33724dd012099f0737e3d9203e28f4a804435526998d4f5841993058651cb8
commons-cli/commons-cli/1.5.0/commons-cli-1.5.0.jar bc8bb01fc0fad250385706e20f927ddcff6173f6339b387dc879237752567ac6
io/airlift/airline/0.8/airline-0.8.jar 7b63b4c001378b548e4b27c15989b65de363a8b9bee4bf11035c21bdc50cbedc
io/dropwizard/metrics/metrics-core/4.2.28/metrics-core-4.2.28.jar 544e7c5828e9fe440e2e5b8b87974297352d8c0aac226a2614811600fd680463
io/dropwizard/metrics/metrics-jvm/4.2.19/metrics-jvm-4.2.19.jar 996a602152db07aa5cbc669265b564099c20acef2508ec5e717f20b98b5acbc5
io/dropwizard/metrics/metrics-logback/4.2.19/metrics-logback-4.2.19.jar 93f729134b43c74affa6ee45c9a23a9e6ef623a63118bc4ab8d8880f88e71643
io/github/jbellis/jvector/1.0.2/jvector-1.0.2.jar 5d53af3d711fb7a13cac0608b6dfdcb30ad07b102dc128c3e09be5313a487e5d
io/netty/netty-all/4.1.130.Final/netty-all-4.1.130.Final.jar ffe4e8f925c428493e03f395df65fdcba6e6482ad517029172b119275add2dd4
io/netty/netty-buffer/4.1.130.Final/netty-buffer-4.1.130.Final.jar 00a522b67ea35cb7b4dd9cf27f85c6c58f5e306785aa045302e5f6b2d4944a87
io/netty/netty-codec/4.1.130.Final/netty-codec-4.1.130.Final.jar 52636bc29bd62120b97bbe5d1d21eab9b1cb2bef8efbb54d2221c5f3fa08d8cd
io/netty/netty-common/4.1.130.Final/netty-common-4.1.130.Final.jar 53921f28dd5a352b1bed0e1cbcc54d013dc60ffebeae9b2b1e53eabef317e581
io/netty/netty-handler-proxy/4.1.130.Final/netty-handler-proxy-4.1.130.Final.jar 33656875d0001587eea4a9778cf2242b418bc887ed03b2d37ef3969e0b7d3b5e
io/netty/netty-handler-ssl-ocsp/4.1.130.Final/netty-handler-ssl-ocsp-4.1.130.Final.jar 36dfbe584d2cf7f01f8bf7ceb9b1430e4d0c3d7acb759ba5576df47a7eccc5db
io/netty/netty-handler/4.1.130.Final/netty-handler-4.1.130.Final.jar 98c78ec187ca30a4b9775bf6f632f5c9929db6bf06a60e6971f945813880ca0f
io/netty/netty-resolver/4.1.130.Final/netty-resolver-4.1.130.Final.jar 48c5b218a89d184e1b601d46433957f515fcefdb4464182b1348bce4f5a18f35
io/netty/netty-tcnative-boringssl-static/2.0.70.Final/netty-tcnative-boringssl-static-2.0.70.Final-linux-aarch_64.jar 523c43f67ad9040d70f9494fc28eebf711d8c54e2aa30e3fd1a199c38740f53b
io/netty/netty-tcnative-boringssl-static/2.0.70.Final/netty-tcnative-boringssl-static-2.0.70.Final-linux-x86_64.jar 3d773aac73fe40f5d04de37ce14a1f7abd27caf0b3bd8275884f5d2968b3e254
io/netty/netty-tcnative-boringssl-static/2.0.70.Final/netty-tcnative-boringssl-static-2.0.70.Final.jar 3f7b4c3a51737965cd5b53777782c125784420458d96513cfac7412e4d1fa0c3
io/netty/netty-tcnative-classes/2.0.70.Final/netty-tcnative-classes-2.0.70.Final.jar a79c1579313d4ad48a3ecc1d01a25da06d22d6449c3bcc369c2318749bcf55bc
io/netty/netty-transport-classes-epoll/4.1.130.Final/netty-transport-classes-epoll-4.1.130.Final.jar 1c352508d70aca1ccc3068daac907ad1e9d8dc68b07148d57426730bf0d0c8b6
io/netty/netty-transport-native-epoll/4.1.130.Final/netty-transport-native-epoll-4.1.130.Final-linux-aarch_64.jar 49b26640f82b33e7c60cbe53487546dd0eaa09c28d0338077c1ef7b46a12463a
io/netty/netty-transport-native-epoll/4.1.130.Final/netty-transport-native-epoll-4.1.130.Final-linux-x86_64.jar d5d4611cb667eb215667c65aabfc75f8d9ef24de2a3e3a32eb28204f9c2a7a30
io/netty/netty-transport-native-epoll/4.1.130.Final/netty-transport-native-epoll-4.1.130.Final.jar 2ebe4278bced6908a13c85a068982b695fd7b07f1eb3dc82c9e7ccab00d3587e
io/netty/netty-transport-native-unix-common/4.1.130.Final/netty-transport-native-unix-common-4.1.130.Final.jar cf5efc4168597d7cd14695b469418cac2a1134533f9a0c82ef0538d796fd39e1
io/netty/netty-transport/4.1.130.Final/netty-transport-4.1.130.Final.jar 1bf573266d271f856705a9984d25449c56a1d73c02a16af12033ceccfe555dbb
javax/inject/javax.inject/1/javax.inject-1.jar 91c77044a50c481636c32d916fd89c9118a72195390452c81065080f957de7ff
net/java/dev/jna/jna-platform/5.13.0/jna-platform-5.13.0.jar 474d7b88f6e97009b6ec1d98c3024dd95c23187c65dabfbc35331bcac3d173dd
net/java/dev/jna/jna/5.13.0/jna-5.13.0.jar 66d4f819a062a51a1d5627bffc23fac55d1677f0e0a1feba144aabdd670a64bb
net/openhft/affinity/3.23.3/affinity-3.23.3.jar 969e4b4ad761e34f3c5d59fe173bba08623bbf4e9002bc567665626886f01928
net/openhft/chronicle-bytes/2.23.33/chronicle-bytes-2.23.33.jar 76757a196af80594927dc31f71df6de25729480cae4938899b1e5bbba90d9c81
net/openhft/chronicle-core/2.23.36/chronicle-core-2.23.36.jar fac0ce88a9ddd55eee98348601566c93782c71ae68462db6d5dc64267642999e
net/openhft/chronicle-queue/5.23.37/chronicle-queue-5.23.37.jar d8445ec881577e85d9455d0aef30b0cb9d7bc22d3a73a46a713157cd98d18388
net/openhft/chronicle-threads/2.23.25/chronicle-threads-2.23.25.jar 3657c5c82410235581430a4ecf7a4177fb49e3c272e6177246e9977ec767cee6
net/openhft/chronicle-wire/2.23.39/chronicle-wire-2.23.39.jar 7087768fb85a1be09d40cdd344da355f88fecb814242d2a76ac01651d0d8dfae
net/openhft/posix/2.24ea4/posix-2.24ea4.jar b481f9d8f4fc6b679cf44f4e6f79cb4df347c6de166501205b3b15c0b47ea8af
org/agrona/agrona/1.17.1/agrona-1.17.1.jar ca6ff763fd93ddcf5dd2b8b9f60dc977a2d644f1f1666ffd9cf7fd637ab6d3fd
org/antlr/ST4/4.0.8/ST4-4.0.8.jar 58caabc40c9f74b0b5993fd868e0f64a50c0759094e6a251aaafad98edfc7a3b
org/antlr/antlr-runtime/3.5.2/antlr-runtime-3.5.2.jar ce3fc8ecb10f39e9a3cddcbb2ce350d272d9cd3d0b1e18e6fe73c3b9389c8734
org/apache/cassandra/cassandra-all/5.0.9/cassandra-all-5.0.9.jar 6a80e6fddde88817deec4839ae431e3a9c4eeb728560336890094c6f870fef5e
org/apache/cassandra/cassandra-driver-core/3.12.1/cassandra-driver-core-3.12.1-shaded.jar 6af4e8ec8d8c74e425e5d23a8c9bdc82a8dc170e9772d7d0cfe09d69938ffbe5
org/apache/commons/commons-lang3/3.18.0/commons-lang3-3.18.0.jar 4eeeae8d20c078abb64b015ec158add383ac581571cddc45c68f0c9ae0230720
org/apache/commons/commons-math3/3.2/commons-math3-3.2.jar 6268a9a0ea3e769fc493a21446664c0ef668e48c93d126791f6f3f757978fee2
org/apache/lucene/lucene-analysis-common/9.7.0/lucene-analysis-common-9.7.0.jar 87abf0221c526d64616d47d2261866620c8f42659c93dbfd0d1ffb138af98137
org/apache/lucene/lucene-core/9.7.0/lucene-core-9.7.0.jar 624d7f544afefcbc382f2d9c8fe9e04fb5626c6fb579b584663baf43df1653f8
org/caffinitas/ohc/ohc-core-j8/0.5.1/ohc-core-j8-0.5.1.jar 76ec56f9ad849cd4cffa65a39fbc30b2f1ccf368a1dbeeadd311adfcc8cc00ca
org/caffinitas/ohc/ohc-core/0.5.1/ohc-core-0.5.1.jar 7f2bc7f6d8ef6bbdb037eb52b670f6f0b6516161d04e92d843058293c1a706ce
org/eclipse/jdt/ecj/3.33.0/ecj-3.33.0.jar f7686c4960cf70c2ebc5c500a73a8cfc04541b730c18f1c5c21329889b137f45
org/fusesource/sigar/1.6.4/sigar-1.6.4.jar de8725b3be2c25d44ba41a9450cd03842fac9466d92dc582cb37691eeea1f8db
org/gridkit/jvmtool/mxdump/0.14/mxdump-0.14.jar 77fa89f0b380c9140bb65cc582c823021583745f762433f5484d62f424666e7f
org/gridkit/jvmtool/sjk-cli/0.14/sjk-cli-0.14.jar 246634b132057f3f5aaf83258316125ea146ee6b5e70aceb194b35698f0bbf18
org/gridkit/jvmtool/sjk-core/0.14/sjk-core-0.14.jar 4fb6a48c60aeff788fed19a8f326dd8c664eb9ab1c3a682ced6edc3b71b560f5
org/gridkit/jvmtool/sjk-json/0.14/sjk-json-0.14.jar 3cbb1465eef91e8c3c7e7cc158ba0abe2afeb5d86d1dd4bf29911f963e2c9b7c
org/gridkit/jvmtool/sjk-stacktrace/0.14/sjk-stacktrace-0.14.jar 9a35e0c3f9fed863fa689c430b5c2c5171e838b3b871aa577bcf646d741bddf9
org/gridkit/lab/jvm-attach-api/1.5/jvm-attach-api-1.5.jar a078c03414cb8c0d8f9ce8e2003319c868227231eb4c7bd7388e0ff06185935e
org/hdrhistogram/HdrHistogram/2.1.12/HdrHistogram-2.1.12.jar 9b47fbae444feaac4b7e04f0ea294569e4bc282bc69d8c2ce2ac3f23577281e2
org/jctools/jctools-core/3.1.0/jctools-core-3.1.0.jar e7302f154f63fc4c66962816e76acda969926a7569ca3b68a62f52bdca6b45dc
org/mindrot/jbcrypt/0.4/jbcrypt-0.4.jar e183f6f59404fc1e12073cfea4ace7ea103c900463cd21fb609a7c617ecdf624
org/ow2/asm/asm/9.4/asm-9.4.jar 39d0e2b3dc45af65a09b097945750a94a126e052e124f93468443a1d0e15f381
org/psjava/psjava/0.1.19/psjava-0.1.19.jar 965ac6a41e1010d4ad393c0398bc8dc922bbef97794821ced57e4b1ef7801e31
org/slf4j/jcl-over-slf4j/2.0.17/jcl-over-slf4j-2.0.17.jar affd06771589ebfe454bb11315a4f466ecaa135b95f3e7939534cf1d2fd7064c
org/slf4j/log4j-over-slf4j/2.0.17/log4j-over-slf4j-2.0.17.jar cbf30eaf95357ab7babf9be123da9cc702f0fe83b23392b7a62589d60b5862d1
org/slf4j/slf4j-api/2.0.17/slf4j-api-2.0.17.jar 7b751d952061954d5abfed7181c1f645d336091b679891591d63329c622eb832
org/xerial/snappy/snappy-java/1.1.10.4/snappy-java-1.1.10.4.jar 55b30c94e5c4cc2d4b6976916098d0678a8a6cc7427fa8c875621bd94e731ac8
org/yaml/snakeyaml/2.1/snakeyaml-2.1.jar 69a4537045ddbcaed4c68eef074462eb12d324d7953f62c5ecd35df645e8aec9
`;

export const JARS: readonly Jar[] = LINES.trim()
  .split('\n')
  .map(line => {
    const [path = '', sha256 = ''] = line.split(' ');
    return { path, sha256 };
  });
