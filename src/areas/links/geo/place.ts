/** Where an address of the internet is, as far as anybody knows; empty where nobody does. */
export interface Place {
  /** In English. */
  readonly country: string
  readonly city: string
  /** Whose network it is. */
  readonly organization: string
  readonly longitude: number
  readonly latitude: number
}

export const nowhere: Place = { country: '', city: '', organization: '', longitude: 0, latitude: 0 }
