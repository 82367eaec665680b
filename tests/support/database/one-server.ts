const pages = 'Counts the pages that a query reads on the connected server. On a cluster the rows are on other nodes.'

/**
 * Tests that need features a cluster does not have, with the reason. On a cluster these are skipped, and besides them only one check: in
 * tests/contract/every-endpoint.test.ts triggers record every change, and on a cluster a trigger may not write.
 */
export const filesOnOneServer: { readonly [file: string]: string } = {
  'tests/architecture/list-plans.test.ts':
    'Sets planner statistics of a single server. On a cluster each node has its own for every shard.',
  'src/areas/analytics/report/pages.test.ts': pages,
  'src/areas/inbox/item/many-items.test.ts': pages,
}
