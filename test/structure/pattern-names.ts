// Every name that the pattern library exports, by entry: what a user may rely on. pattern-surface.test.ts compares it with the compiled declarations; a new name is a new promise.

export const PATTERN_NAMES: Readonly<Record<string, string>> = {
  index: `
    Admission AnyEntity AnyPatternError BATCH_BYTES_MAX BATCH_OPERATIONS_MAX Bag BagValue BareKey Batch
    BatchResults BlobsConnection BoundsAfter Change Classification Clause Clients CodecFor Committed
    Comparison Condition Db Deletable DeleteOptions DescendingCodec DescendingPart Drift DriftPolicy EdmType
    Entity EntityPlan EntitySpec Equality FanOutOptions FanOutOrder Field Fields Filling Filtered FoundDrift
    GivenPatch GivenRow Hashable Index IndexEntity IndexKeyNames IndexKeyOn IndexName IndexPlan IndexReason
    IndexSpec IndexSpecs IndexState Indexes IndexesOf Instant Key KeyBounds KeyCodec KeyDefinition KeyMade
    KeyNames KeyOf KeyOn KeyPart KeyParts KeyRange KeyStays LatestOptions LocalIndexName LocalIndexSpec
    LogTail ManyOptions Merged MutateOptions NewOf NoIndexes OUTDATED_ETAG Of Operand OperationId
    OperationIdOptions Order OutputOf PAGE_SIZE_MAX Page PageOptions Part PartBounds PartNames PartOf
    PartitionOf PartitionQuery PatchInto PatchOf PatternError PatternErrorCode PatternErrorDetails Plan
    Point Presence Projected Property PropertyPart Props Query QueryClass QueryOptions QuerySettings
    QueuesConnection ReadOptions ReadingOptions Reads ReadyIndexName Refused RemoteIndexName RemoteIndexSpec
    Remove Repo RepoOptions Results Row RowAddress RowBounds RowLead RowOf RowRef Scanning SchemaIssue
    SchemaResult Selected SenderOptions ServiceOptions SizeLimit StandardSchema StaticClass Stored StoredOf
    Surroundings TableScan TablesConnection Target TextOrder TickClock TickClockOptions TypedValue
    UnreadablePolicy UnreadableRow Upcast Use ValueOf Values WriteName WriteResult codec entity key open
    part remove t`,
  audit: `
    AuditOptions AuditProgress Fault Finding RebuildOptions audit backfill rebuild`,
  bulk: `
    DeletableRows DeleteProgress DeleteRowsOptions RebucketOptions RebucketProgress RowChange WriteReport
    WriterOptions change deleteRows rebucket writeAll`,
  copies: `
    Copies CopiesPlace CopiesPlan CopiesSpec CopyAuditOptions CopyAuditProgress CopyFault CopyFinding
    CopyInput CopyProps CopySpec Embedded Holders WhenDeleted copies embed`,
  encryption: `
    Ciphertext ClassicRow ClassicUnwrap ClassicValues ClearOf ClearPatchOf ClearStored ClearTarget
    ClearValues ContentKey EncryptedRepo EncryptedRepoOptions Encryption EncryptionSpec KeyPlace KeyResolver
    KeyRing KeyRingSpec KeyedHash LostValue NewClearOf OpenOptions RemoteKey ResealOptions ResealProgress
    WrappingKey contentKey encrypted encryption keyRing localKey readClassic remoteKey reseal`,
  filters: `
    FilterPlan explainFilter`,
  flows: `
    CheckStepsOptions Flow FlowDefinition FlowEvent FlowFigures FlowOptions FlowReport FollowSpec Found
    InputUpcast KeyJson Move MoveSpec OutboxRow PoisonMessage PoisonOptions StartOptions Startable Step
    StepContext StepResult SweepOptions Swept Worker WorkerOptions WriteOptions checkSteps flow follow move
    outboxRow sweepOutbox`,
  indexes: `
    ChangedRow IndexFlowInput IndexRowKey indexFlow`,
  joins: `
    Cached JoinOptions Link LinkTarget Lookup LookupOptions ManyLink ReadsByEntity link linkMany lookup
    satisfies`,
  lists: `
    AnyList BlobList EntityList InBlobs List ListAuditOptions ListAuditProgress ListContention ListFinding
    ListFlowInput ListKey ListMembers ListOptions ListPlan ListRepo ListSpec ListedOptions ListedRepo Remote
    SamePartition StaleId auditLists list listFlow listOf listed lists`,
  mixed: `
    Bag BagFields BagOptions BagQuery BagReads BagScan Mixed MixedOptions MixedQuery MixedReads MixedRow
    MixedScan Named UnknownRow bags checkTable mixed`,
  sas: `
    POLICIES_MAX PolicyTable SasOptions SasPermissions SasRows TablePolicy partitions putPolicy removePolicy
    tableSas`,
  large: `
    BlobPointer ContentOf GivenLarge LargeName LargeOptions LargeProperty LargeRepo LargeValue LargesOptions
    SweepOptions SweepProgress largeBytes largeText larges sweepLarges`,
  logbook: `
    LogBook LogBuffer LogDurability LogEntry LogOptions LogPeriod LogReadOptions SkippedLine logBook`,
  rolling: `
    AtTime ExpiringGetOptions ExpiringOptions ExpiringRows ExpiryBy Lifetime OutsidePolicy OutsideReason
    OutsideRow PrepareOptions PutOptions RollingKeep RollingOptions RollingPeriod RollingPlan RollingTables
    RollingTime SpanOptions SpanOrder SpanRow Taken TimeName TimeOfKey expiring rolling`,
  series: `
    Period Ring RingSlot RingValue Series SeriesName SeriesOptions SeriesRepo SlotCounter SlotOf Slots ring
    series seriesOf`,
  wide: `
    WideEntity WideOptions WidePiece WidePlan WideRepo WideSpec WideStored WideTarget wide wideRepo`,
};
