const pages =
  'The pages that a question reads are counted by the server that is asked. On a cluster the rows lie with others.'

/**
 * Tests that need features a cluster does not have, with the reason. On a cluster these are skipped, and besides them only one check: in
 * tests/contract/every-endpoint.test.ts triggers record every change, and on a cluster a trigger may not write.
 */
export const filesOnOneServer: { readonly [file: string]: string } = {
  'tests/architecture/list-plans.test.ts':
    'Statistics are forged for the planner of one server. On a cluster each node has its own, of each shard.',
  'src/areas/analytics/report/pages.test.ts': pages,
  'src/areas/inbox/item/many-items.test.ts': pages,
}
