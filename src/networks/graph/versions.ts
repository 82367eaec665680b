import type { ApiVersion } from '../connector/app-setup.ts'

const source = 'https://developers.facebook.com/docs/graph-api/changelog/versions/, read November 2026'

/** Versions of the Graph API. Meta ends one two years after the release of the next. */
export const graphVersions: { readonly [version: string]: ApiVersion } = {
  'v21.0': { ends: '2027-01-21', source },
  'v22.0': { ends: '2027-05-20', source },
  'v23.0': { ends: '2027-10-08', source },
  'v24.0': { ends: '2028-02-18', source },
  'v25.0': { ends: '2028-07-29', source },
  'v26.0': {
    ends: '2028-07-29',
    isEstimate: true,
    source: `${source}: released on 29 July 2026, no end announced. Meta keeps a version for at least two years`,
  },
}
