import { useEffect, useMemo, useState } from 'react'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { list } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, go, useAddress, valuesOf } from '@/routes/router.ts'
import { useKeys } from '@/shell/shortcuts.ts'
import { NetworkMark, networkName } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Checkbox } from '@/ui/field.tsx'
import { Filter, Find } from '@/ui/filters.tsx'
import { Bar, Tabs } from '@/ui/layout.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { NetworkApps } from './network-apps.tsx'
import { type Health, needsSomebody, ProfileCard, states } from './profile-card.tsx'
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

/** Which network to log in at; the browser leaves for it and comes back here. */
export function Connecting({ onClose }: { onClose: () => void }) {
  const { data } = useCall('GET /network', {})
  return (
    <Dialog title={words.profiles.connect} onClose={onClose}>
      <p>{words.profiles.connectWhy}</p>
      {!data && <Waiting />}
      <ul className="connecting">
        {data?.Items.map(({ Network, HasApp, Settings, Path }) => (
          <li key={Network}>
            {HasApp ? (
              <a className="button" href={Path}>
                <NetworkMark network={Network} />
                {networkName(Network)}
              </a>
            ) : (
              <span className="connecting-without">
                <NetworkMark network={Network} />
                <span>
                  {networkName(Network)}
                  <small className="hint">{words.profiles.noApp(list(Settings))}</small>
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** What a login has opened, to choose from. It can be chosen from once. */
export function ChooseProfiles({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useCall('GET /connect-offer/{id}', { id }, { keepsLast: false })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set(data?.Items.map(({ RemoteId }) => RemoteId))), [data])
  const connect = useChange('POST /connect-offer/{id}', {
    stale: ['GET /credential-health', 'v2 GET /credential'],
    done: ({ Items }) => {
      if (Items.length > 0) say(words.profiles.connected(Items.length))
      onClose()
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const submit = () => connect.mutate({ id, remoteIds: [...chosen] })
  const toggle = (remoteId: string, isOn: boolean) => {
    const next = new Set(chosen)
    if (isOn) next.add(remoteId)
    else next.delete(remoteId)
    setChosen(next)
  }
  return (
    <Dialog
      title={data ? words.profiles.choose(networkName(data.Network)) : words.profiles.connect}
      onClose={onClose}
      onSubmit={submit}
    >
      {error && <Problem {...told(error)} />}
      {!data && !error && <Waiting />}
      {data && (
        <>
          <p>{words.profiles.chooseWhy}</p>
          <ul className="choose-profiles">
            {data.Items.map(({ RemoteId, Name, Username }) => (
              <li key={RemoteId}>
                <Checkbox
                  label={<span dir="auto">{Name}</span>}
                  hint={Username}
                  checked={chosen.has(RemoteId)}
                  onChange={(isOn) => toggle(RemoteId, isOn)}
                />
              </li>
            ))}
          </ul>
          <DialogActions>
            <Button onClick={onClose}>{words.ui.cancel}</Button>
            <Button kind="main" type="submit" busy={connect.isPending} onClick={submit}>
              {words.profiles.connectChosen(chosen.size)}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
