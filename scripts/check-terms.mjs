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
]

/** The list itself, and tests that plant a retired term. */
const exempt = ['scripts/check-terms.mjs', 'tests/architecture/checks.test.ts']
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
