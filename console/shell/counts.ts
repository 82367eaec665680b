import { useCall } from '../wire/queries.ts'
import { useMay } from '../wire/session.ts'
import type { Place } from './places.ts'

interface Count {
  value: number
  /** Somebody has to do something about it. */
  isUrgent: boolean
}

/** What waits at which place. */
export function useCounts(): { readonly [name in Place['name']]?: Count } {
  const mayRead = useMay()('read')
  const { data } = useCall('GET /overview', {}, { enabled: mayRead })
  if (!data) return {}
  const { WaitsForMe, WentWrong } = data
  return {
    approvals: { value: WaitsForMe.Total, isUrgent: true },
    inbox: { value: WaitsForMe.Conversations, isUrgent: false },
    calendar: { value: WentWrong.PostsTotal, isUrgent: true },
    profiles: { value: WentWrong.ProfilesTotal, isUrgent: true },
    webhooks: { value: WentWrong.WebhooksTotal, isUrgent: true },
  }
}
