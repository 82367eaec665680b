import type { AreaContract } from '../../../tests/contract/area-contract.ts'

export const contract: AreaContract = {
  examples: {
    'GET /app/api/overview': () => ({}),
  },
  listPlans: {
    rows: () => [],
    lists: () => ({
      '/app/api/overview': [''],
    }),
  },
}
