const { readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

/** Import rules; ARCHITECTURE.md gives the reasons. tests/architecture/imports.test.ts runs them. */

/** Each area may import the areas that its manifest names. */
const areas = readdirSync(join(__dirname, 'src/areas'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const manifest = readFileSync(join(__dirname, 'src/areas', name, 'area.ts'), 'utf8')
    const [, names = ''] = /dependsOn: \[([^\]]*)\]/.exec(manifest) ?? []
    return { name, allowed: [name, ...[...names.matchAll(/'(\w+)'/g)].map(([, one]) => one)] }
  })
/** Areas whose folders have an order of their own; what lies beside the folders is known to all of them and knows none. */
const parts = { approval: ['workflow', 'item', 'decision', 'review', 'editing'] }

const rule = (name, from, to) => ({ name, severity: 'error', from, to })
const tests = '[.](test|fixture)[.]ts$'
/** Of several folders each may know those before it; the last may know all. */
const inOrder = (prefix, folder, names) =>
  names
    .slice(0, -1)
    .map((name, index) =>
      rule(
        `${prefix}${name}-looks-only-back`,
        { path: `^${folder}/${name}/`, pathNot: tests },
        { path: `^${folder}/(${names.slice(index + 1).join('|')})/` },
      ),
    )
/** What networks have in common; every other folder beside these is a network. */
const shared = '^src/networks/(connector|content|graph|http)/'
/** What browsers run too. The modules of Node have no ending. */
const forBrowsers = '^src/kernel/(errors|permissions)[.]ts$'
const modulesOfNode = '(node:)?[a-z_/]+$'
/** Domain files and jobs: what is left in an area when contracts, events, demo content and tests are taken away. */
const domain = {
  path: '^src/areas/',
  pathNot: '[.](api|page|events|test)[.]ts$|-(views|shape|metrics)[.]ts$|/area[.]ts$',
}

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true }),
    rule('kernel-knows-no-product', { path: '^src/kernel/', pathNot: tests }, { path: '^src/(areas|networks|main)/' }),
    rule('networks-know-no-area', { path: '^src/networks/', pathNot: tests }, { path: '^src/(areas|main)/' }),
    rule(
      'a-network-knows-no-other',
      { path: '^src/networks/([^/]+)/', pathNot: `${shared}|${tests}` },
      { path: '^src/networks/[^/]+/', pathNot: `${shared}|^src/networks/$1/` },
    ),
    rule(
      'what-networks-share-knows-none-of-them',
      { path: shared, pathNot: tests },
      { path: '^src/networks/[^/]+/', pathNot: shared },
    ),
    rule(
      'browsers-check-content-too',
      { path: '^src/networks/(content/|manifests[.]ts$|[^/]+/manifest[.]ts$)', pathNot: tests },
      { path: `^(src/kernel/|${modulesOfNode})` },
    ),
    rule(
      'what-browsers-run-needs-nothing-else',
      { path: forBrowsers },
      { path: `^(src/|node_modules/|${modulesOfNode})`, pathNot: forBrowsers },
    ),
    rule(
      'the-console-is-a-client',
      { path: '^console/', pathNot: '[.]browser[.]test[.]ts$' },
      {
        path: '^(src|tests)/',
        pathNot: `^src/(main/wire-types[.]ts$|networks/(content/|connector/|manifests[.]ts$))|${forBrowsers}`,
      },
    ),
    rule(
      'the-console-takes-nothing-but-types-from-main',
      { path: '^console/' },
      { path: '^src/main/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'components-know-no-product',
      { path: '^console/(ui|time|i18n)/' },
      { path: '^(console/(api|routes|shell|features)|src)/', pathNot: '^src/networks/manifests[.]ts$' },
    ),
    rule(
      'the-api-client-renders-nothing',
      { path: '^console/api/' },
      { path: '^console/(ui|i18n|routes|shell|features)/' },
    ),
    rule(
      'a-feature-knows-no-other',
      { path: '^console/features/([^/]+)/' },
      { path: '^console/features/', pathNot: '^console/features/($1/|[^/]+[.]tsx?$)' },
    ),
    rule(
      'features-use-the-router-and-shortcuts-alone',
      { path: '^console/features/' },
      { path: '^console/(shell|routes|main)', pathNot: '^console/(routes/router|shell/shortcuts)[.]ts$' },
    ),
    rule('the-service-does-not-need-the-console', { path: '^(src|sandbox)/' }, { path: '^console/' }),
    rule(
      'areas-know-networks-by-their-interface',
      { path: '^src/areas/', pathNot: tests },
      { path: '^src/networks/.+/', pathNot: '^src/networks/(connector|content)/' },
    ),
    rule(
      'main-is-imported-by-nobody',
      { path: '^src/(kernel|areas|networks)/', pathNot: tests },
      { path: '^src/main/' },
    ),
    rule(
      'contracts-are-imported-by-manifests-alone',
      { path: '^src/', pathNot: `^src/main/|^src/areas/[^/]+/area[.]ts$|${tests}` },
      { path: '[.](api|page)[.]ts$' },
    ),
    rule('domain-does-not-speak-http', domain, { path: '^src/kernel/(http|wire)/' }),
    rule('shapes-do-not-speak-http', { path: '-shape[.]ts$' }, { path: '^src/kernel/http/' }),
    rule('domain-does-not-parse', domain, { path: 'node_modules/(zod|fastify)/' }),
    rule(
      'fastify-stays-at-the-front',
      { path: '^src/', pathNot: `^src/(kernel/http|main)/|${tests}` },
      { path: 'node_modules/fastify/' },
    ),
    rule(
      'driver-stays-in-the-database',
      { path: '^src/', pathNot: `^src/kernel/database/|${tests}` },
      { path: 'node_modules/pg/' },
    ),
    rule(
      'mail-leaves-through-kernel-mail',
      { path: '^src/', pathNot: `^src/kernel/mail/|${tests}` },
      { path: 'node_modules/nodemailer/' },
    ),
    rule(
      'files-leave-through-exports',
      { path: '^src/', pathNot: `^src/areas/analytics/export/destination/|${tests}` },
      { path: 'node_modules/(basic-ftp|ssh2)/' },
    ),
    rule(
      'outbound-opens-the-connections',
      // The front speaks https as a server.
      { path: '^src/', pathNot: `^src/kernel/(outbound/|http/connections[.]ts)|${tests}` },
      { path: '^(node_modules/(undici|axios|got|node-fetch)/|(node:)?(https|http2)$)' },
    ),
    rule(
      'http-is-served-by-the-front',
      { path: '^src/', pathNot: `^src/kernel/(http|outbound)/|${tests}` },
      { path: '^(node:)?http$' },
    ),
    rule('sources-do-not-need-tests', { path: '^src/', pathNot: tests }, { path: '^tests/' }),
    rule('sources-need-no-development-packages', { path: '^src/', pathNot: tests }, { dependencyTypes: ['npm-dev'] }),
    rule('no-orphans', { path: '^src/', orphan: true, pathNot: 'src/main/chorus[.]ts$|[.]d[.]ts$' }, {}),
    ...areas.map(({ name, allowed }) =>
      rule(
        `${name}-imports-what-it-declares`,
        { path: `^src/areas/${name}/`, pathNot: tests },
        { path: `^src/areas/(?!(${allowed.join('|')})/)[^/]+/` },
      ),
    ),
    ...Object.entries(parts).flatMap(([area, names]) => [
      ...inOrder(`${area}-`, `src/areas/${area}`, names),
      rule(
        `what-all-of-${area}-knows-knows-no-part`,
        { path: `^src/areas/${area}/[^/]+[.]ts$`, pathNot: `[.]demo[.]ts$|/area[.]ts$|${tests}` },
        { path: `^src/areas/${area}/[^/]+/` },
      ),
    ]),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
