// Every name that the pattern library exports, by entry: what a user may rely on. pattern-surface.test.ts compares it with the compiled declarations; a new name is a new promise.

export const PATTERN_NAMES: Readonly<Record<string, string>> = {
  index: `
    AnyEntity AnyPatternError Bag Batch Db DescendingCodec DescendingPart Entity Flat Hashable Index
    IndexEntity Instant Key KeyCodec KeyOf ManyOptions NewOf Of Page Part PartitionOf PartitionQuery
    PatternError PatternErrorCode Plan Property PropertyPart Query Reads Repo Results RowRef Selected
    ServiceOptions StandardSchema Stored StoredOf TickClock VerifiedPartition VerifiedQuery
    VerifiedReads WriteResult codec entity key open part remove t`,
  audit: `
    AuditProgress Finding audit backfill rebuild`,
  bulk: `
    DeleteProgress RebucketProgress RowChange WriteReport change deleteRows rebucket rebucketing
    writeAll`,
  copies: `
    Copies CopiesPlan CopyInput Embedded copies embed`,
  encryption: `
    Ciphertext ClearStored ContentKey EncryptedRepo Encryption KeyRing ResealProgress WrappingKey
    contentKey encrypted encryption keyRing localKey readClassic remoteKey reseal`,
  'fan-out': `
    fanOut`,
  filters: `
    FilterPlan explainFilter`,
  flows: `
    Flow FlowEvent FlowFigures Found Move OutboxRow PoisonMessage Step StepResult Swept Worker
    WorkerOptions checkSteps flow follow move outboxRow sweepOutbox`,
  indexes: `
    IndexFlowInput indexFlow near remote`,
  joins: `
    Cached Link Lookup ManyLink ReadsByEntity link linkMany lookup satisfies`,
  lists: `
    EntityList List ListContention ListFlowInput ListMembers ListRepo ListedRepo auditLists
    list listFlow listOf listed lists`,
  mixed: `
    Bag BagQuery BagReads BagScan MixedQuery MixedReads MixedRow MixedScan bags checkTable coerce mixed`,
  sas: `
    SasRows partitions putPolicy removePolicy tableSas`,
  large: `
    LargeProperty LargeRepo LargeValue SweepProgress largeBytes largeText larges sweepLarges`,
  logbook: `
    LogBook LogEntry logBook`,
  rolling: `
    ExpiringRows RollingPlan RollingTables expiring rolling`,
  series: `
    Ring RingSlot RingValue Series SeriesRepo SlotCounter Slots ring series seriesOf`,
  wide: `
    WideEntity WideRepo WideStored wide wideRepo`,
};
