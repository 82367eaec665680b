import type { AreaContract } from '../../../tests/contract/area-contract.ts'
import { newPost } from '../publishing/publishing.contract.fixture.ts'

export const contract: AreaContract = {
  examples: {
    'POST /app/api/presence': async (service) => ({ body: { id: await newPost(service), doing: 'viewing' } }),
  },
}
