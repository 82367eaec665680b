// Fails on retired terms in code and documentation. The glossary in ARCHITECTURE.md has the current ones.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Retired terms, each with its replacement. */
const retired = [
  [/makeRoom|NoRoom|kernel\/room/, 'reserveQuota, QuotaExceeded, kernel/quotas'],
  [
    /kernel\/(?:agenda|lanes|thread|probe|hints|outside)\b/,
    'kernel/jobs, kernel/event-loop, kernel/media-inspector, kernel/changes',
  ],
  [/lane-keeper/, 'partition worker'],
  [/recordDeed|askedDeed|asked-deed/, 'recordAuditEntry'],
  [/\blastly\b|LastStep|gatherLast|writeGathered|forgetGathered/, 'deferred writes: deferWrite'],
  [/\blender\b|\bborrow\b|giveBack/, 'connection pool: acquire, release'],
  [/fair-places|fairPlaces/, 'fair semaphore'],
  [/\bleaveOut\b/, 'skipped rows: skipRow'],
  [/\bprobers?\b|\blooker\b/, 'media inspector'],
  [/\boutlet\b/, 'stream writer'],
  [/\brhythm\b/, 'polling intervals'],
  [/HintKind|gatherHints|hintKinds|context\.hint\b/, 'change notifications: context.notifyChange'],
  [/heldRows|freeRows|\bholdName\b|\btryName\b/, 'lockRows, lockFreeRows, acquireLock, tryLock'],
  [/sealedCell|sealed-cells/, 'encryptedColumn'],
  [/PersonalPlace|personal-places|[.]personal[.]ts/, 'PersonalDataLocation, *.personal-data.ts'],
  [/former-names|formerNames/, 'job aliases'],
  [/passers-by|passersBy/, 'simulated visitors'],
  [
    /main\/(?:endpoints|jobs|pages|reactions|recounts|sendables|approvables|watched|downloads|api-tags)[.]ts/,
    'the manifests of areas, combined by main/registry.ts',
  ],
  [/console\/(?:words|wire|places|screens)\b/, 'console/i18n, console/api, console/routes, console/features'],
  [
    /areas\/figures|FigureName|FigureOf\b|(?:with|correct|rebuild)Figures|figureKinds|figures(?:OnProfile|Commands)\b/,
    'counters',
  ],
  [/\baddFacts\b|(?:add|click)-facts|\baddLevels\b|\bLevelName\b/, 'incrementCounters, recordGauges'],
  [/\bdeeds\b|\bdeed[A-Z]|[a-z]Deeds?\b/, 'audit_log, audit entry'],
  [
    /\b(?:call_limits|callLimits|click_bundles|clickBundles|dashboard_starts|dashboardStarts|deleted_lead_facts|deletedLeadFacts|digest_letters|digestLetters|file_holds|fileHolds|inbox_arrivals|inboxArrivals|inbox_readers|inboxReaders|inbox_reads|inboxReads|lead_remotes|leadRemotes|media_holds|mediaHolds|network_holds|networkHolds|network_pauses|networkPauses|profile_lanes|profileLanes|push_addresses|pushAddresses|sign_in_tries|signInTries|webhook_lanes|webhookLanes|workflow_wordings|workflowWordings|daily_figures|dailyFigures|quarter_figures|quarterFigures|figure_rebuilds|figureRebuilds)\b/,
    'the names of tables in schema.sql',
  ],
  [
    /\b(?:CHORUS_FEEDS|CHORUS_PUBLISH_LATENESS|CHORUS_PUBLISH_LOOKS|CHORUS_WEBHOOK_WAITS)\b/,
    'the settings in README.md',
  ],
  [/\b(?:clicks_count|jobs_count|rows_unreadable)\b/, 'the metrics in CHANGELOG.md'],
  [
    /(?:place|release|forget)-?Arrivals|place-arrivals|turn-stories|weigh-messages|start-dashboards/i,
    'ingest-activities, advance-stories, measure-messages, create-dashboards',
  ],
]

/** The list itself, tests that plant a retired term, and what still accepts former names. */
const exempt = [
  'scripts/check-terms.mjs',
  'tests/architecture/checks.test.ts',
  'tests/upgrade/rows.ts',
  'tests/upgrade/upgrade.test.ts',
  'src/kernel/http/metrics.ts',
  'src/main/job-aliases.ts',
  'src/main/settings/former-settings.ts',
  'src/main/settings/former-settings.test.ts',
  'CHANGELOG.md',
]
const folders = ['src', 'console', 'sandbox', 'chaos', 'bench', 'live', 'scripts', 'tests', 'bin', 'docs', 'deploy']

const root = process.argv[2] ?? '.'
const listed = (folder) => {
  try {
    return readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name)))
  } catch {
    return []
  }
}
const files = [...folders.flatMap(listed), ...readdirSync(root).filter((name) => name.endsWith('.md'))].filter(
  (name) =>
    /\.(?:tsx?|mjs|cjs|css|md|yml|json)$/.test(name) && !exempt.includes(name) && !name.includes('node_modules'),
)

const found = files.flatMap((name) => {
  const path = join(root, name)
  if (!statSync(path).isFile()) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      retired.flatMap(([pattern, use]) => {
        const [term] = pattern.exec(line) ?? []
        return term ? [`${name}:${index + 1}: "${term}" is retired; use ${use}.`] : []
      }),
    )
})
for (const line of found) process.stdout.write(`${line}\n`)
process.exitCode = found.length === 0 ? 0 : 1
