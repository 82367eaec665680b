import type { TestService } from '../support/service.ts'

/** The parameters with which an endpoint succeeds. */
export interface Example {
  /** The path parameter, if the route has one. */
  id?: string
  body?: object
  /** Set if the path names something shared by all accounts. */
  shared?: true
  /** Set if the caller chooses the id in the path: the same id names a separate entity in each account. */
  chosen?: true
}

/** Creates the parameters with which a route succeeds. */
export type ExampleMaker = (service: TestService) => Promise<Example> | Example

let numbered = 0

/** Makes names unique; recorded responses leave it out. */
export const serial = () => numbered++

/** The id of a row that an example inserts. */
export const exampleId = (prefix: string) => `${prefix}ex${String(serial()).padStart(10, '0')}`

/** Users of the demo workspace. */
export const demoAdmin = '00Ademo00000001'
export const demoPublisher = '00Ademo00000002'

/** A page of the demo workspace on LinkedIn, and its company page. */
export const demoPage = '003-1-2414183'
export const demoCompanyPage = '003-1-2414184'

export const newUser = () => ({
  firstName: 'Example',
  lastName: 'User',
  email: `example${serial()}@example.com`,
  password: 'a long password',
  role: 'read',
  timezone: 'UTC',
})
