import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose tests take longest, because they start programs or go through every endpoint. */
const long = ['tests/chaos/', 'tests/journeys/', 'tests/contract/', 'tests/networks/', 'tests/architecture/']

/** What takes long begins first, so that in the end no worker is left alone with it; the rest in the usual order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const path = relative(this.ctx.config.root, moduleId)
      const place = long.findIndex((folder) => path.startsWith(folder))
      return place < 0 ? long.length : place
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
