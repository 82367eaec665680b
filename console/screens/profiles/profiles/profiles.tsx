import { useEffect, useMemo, useState } from 'react'
import { useKeys } from '../../../shell/keys.ts'
import { changeSearch, go, useAddress, valuesOf } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Filter, Find } from '../../../ui/inputs/filters.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Bar } from '../../../ui/layout/bar.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { Tabs } from '../../../ui/layout/tabs.tsx'
import { networkName } from '../../../ui/marks/network-mark.tsx'
import { readAgain, told, useCall } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { ChooseProfiles } from './choose-profiles.tsx'
import { Connecting } from './connecting.tsx'
import { NetworkApps } from './network-apps.tsx'
import { type Health, needsSomebody, states } from './profile.ts'
import { ProfileCard } from './profile-card.tsx'
import { ProfilePanel } from './profile-panel.tsx'

const path = '/app/profiles'

/** The profiles of the account by network, those first that need somebody. The open one stands in the path. */
export function Profiles() {
  const { path: here, search } = useAddress()
  const may = useMay()
  const [isConnecting, setIsConnecting] = useState(false)
  const { data, error, refetch } = useCall('GET /credential-health', {})
  useReturn(search)
  const openId = here.startsWith(`${path}/`) ? decodeURIComponent(here.slice(path.length + 1)) : ''
  const q = search.get('q') ?? ''
  const chosen = valuesOf(search, 'state')
  const networks = valuesOf(search, 'network')
  const offer = search.get('offer') ?? ''
  const all = data?.Items ?? []
  const shown = all.filter(
    ({ DisplayName, State, Network, NetworkUsername }) =>
      (chosen.length === 0 || chosen.includes(State)) &&
      (networks.length === 0 || networks.includes(Network)) &&
      `${DisplayName} ${NetworkUsername}`.toLowerCase().includes(q.toLowerCase()),
  )
  const mayConnect = may('administer')
  const isApps = mayConnect && search.get('view') === 'apps'
  useKeys(
    useMemo(
      () => (mayConnect ? [{ keys: 'n', name: words.profiles.connect, run: () => setIsConnecting(true) }] : []),
      [mayConnect],
    ),
  )
  const open = (id: string) => go((id ? `${path}/${encodeURIComponent(id)}` : path) + location.search)
  const filters = (
    <>
      <Find label={words.profiles.find} value={q} onChange={(text) => changeSearch({ q: text }, { replace: true })} />
      <Filter
        label={words.profiles.network}
        options={[...new Set(all.map(({ Network }) => Network))].map((value) => ({
          value,
          label: networkName(value),
        }))}
        values={networks}
        onChange={(values) => changeSearch({ network: values })}
      />
      <Filter
        label={words.profiles.state}
        options={states.map((value) => ({ value, label: words.profiles.states[value] }))}
        values={chosen}
        onChange={(values) => changeSearch({ state: values })}
      />
    </>
  )
  return (
    <>
      <Bar
        title={words.profiles.title}
        about={data && words.profiles.about(all.length, all.filter(needsSomebody).length)}
        actions={
          mayConnect && (
            <Button kind="main" icon="plus" keys="n" onClick={() => setIsConnecting(true)}>
              {words.profiles.connect}
            </Button>
          )
        }
      >
        {mayConnect && (
          <Tabs
            label={words.profiles.title}
            tabs={(['profiles', 'apps'] as const).map((view) => ({
              href: view === 'apps' ? `${path}?view=apps` : path,
              label: words.profiles.views[view],
              isCurrent: isApps === (view === 'apps'),
            }))}
          />
        )}
        {!isApps && filters}
      </Bar>
      {isApps && <NetworkApps open={search.get('app') ?? ''} />}
      {!isApps && (
        <div className="profiles">
          <div className="profiles-list">
            {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
            {!data && !error && <Waiting />}
            {data && shown.length === 0 && (
              <Empty icon="profiles" title={all.length > 0 ? words.profiles.nothingFits : words.profiles.none}>
                {all.length === 0 && words.profiles.noneWhy}
              </Empty>
            )}
            {groupsOf(shown).map(({ network, items }) => (
              <section key={network}>
                <h2 className="profiles-network">{networkName(network)}</h2>
                <ul className="profiles-cards">
                  {items.map((profile) => (
                    <li key={profile.Id}>
                      <ProfileCard profile={profile} isOpen={profile.Id === openId} onOpen={() => open(profile.Id)} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
          </div>
          {openId && <ProfilePanel key={openId} id={openId} onClose={() => open('')} />}
        </div>
      )}
      {isConnecting && <Connecting onClose={() => setIsConnecting(false)} />}
      {offer && mayConnect && (
        <ChooseProfiles id={offer} onClose={() => changeSearch({ offer: '' }, { replace: true })} />
      )}
    </>
  )
}

/** In the order in which the first of each stands: what needs somebody comes first. */
function groupsOf(profiles: readonly Health[]) {
  const names = [...new Set(profiles.map(({ Network }) => Network))]
  return names.map((network) => ({ network, items: profiles.filter(({ Network }) => Network === network) }))
}

/** Says what came of a login at a network, once, when the browser comes back from there. */
function useReturn(search: URLSearchParams) {
  const connected = search.get('connected')
  const refused = search.get('refused')
  useEffect(() => {
    if (connected) say(words.profiles.connected(connected.split(',').length))
    if (refused) say(words.profiles.refused(networkName(refused)), { kind: 'problem' })
    if (!connected && !refused) return
    readAgain('GET /credential-health', 'GET /credential/{id}/health', 'v2 GET /credential')
    changeSearch({ connected: '', refused: '' }, { replace: true })
  }, [connected, refused])
}
