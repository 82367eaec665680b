import { useEffect, useMemo, useState } from 'react'
import { errorDetails, invalidate, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { formatList } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { listParam, navigate, setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { NetworkIcon, networkName } from '@/ui/badges.tsx'
import * as buttonStyles from '@/ui/button.module.css'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { Checkbox } from '@/ui/field.tsx'
import { Filter, SearchField } from '@/ui/filters.tsx'
import { PageHeader, Tabs } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import { NetworkApps } from './network-apps.tsx'
import { type Health, needsAttention, ProfileCard, states } from './profile-card.tsx'
import { ProfilePanel } from './profile-panel.tsx'
import * as styles from './profiles.module.css'

const path = '/app/profiles'

/** The profiles of the account by network, those that need attention first. The open one is part of the path. */
export function Profiles() {
  const { path: here, search } = useLocation()
  const may = useMay()
  const [isConnecting, setIsConnecting] = useState(false)
  const { data, error, refetch } = useApiQuery('GET /credential-health', {})
  useConnectResult(search)
  const openId = here.startsWith(`${path}/`) ? decodeURIComponent(here.slice(path.length + 1)) : ''
  const q = search.get('q') ?? ''
  const chosen = listParam(search, 'state')
  const networks = listParam(search, 'network')
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
  useShortcuts(
    useMemo(
      () => (mayConnect ? [{ keys: 'n', name: texts.profiles.connect, run: () => setIsConnecting(true) }] : []),
      [mayConnect],
    ),
  )
  const open = (id: string) => navigate((id ? `${path}/${encodeURIComponent(id)}` : path) + location.search)
  const filters = (
    <>
      <SearchField
        label={texts.profiles.find}
        value={q}
        onChange={(text) => setSearch({ q: text }, { replace: true })}
      />
      <Filter
        label={texts.profiles.network}
        options={[...new Set(all.map(({ Network }) => Network))].map((value) => ({
          value,
          label: networkName(value),
        }))}
        values={networks}
        onChange={(values) => setSearch({ network: values })}
      />
      <Filter
        label={texts.profiles.state}
        options={states.map((value) => ({ value, label: texts.profiles.states[value] }))}
        values={chosen}
        onChange={(values) => setSearch({ state: values })}
      />
    </>
  )
  return (
    <>
      <PageHeader
        title={texts.profiles.title}
        about={data && texts.profiles.about(all.length, all.filter(needsAttention).length)}
        actions={
          mayConnect && (
            <Button variant="primary" icon="plus" shortcut="n" onClick={() => setIsConnecting(true)}>
              {texts.profiles.connect}
            </Button>
          )
        }
      >
        {mayConnect && (
          <Tabs
            label={texts.profiles.title}
            tabs={(['profiles', 'apps'] as const).map((view) => ({
              href: view === 'apps' ? `${path}?view=apps` : path,
              label: texts.profiles.views[view],
              isCurrent: isApps === (view === 'apps'),
            }))}
          />
        )}
        {!isApps && filters}
      </PageHeader>
      {isApps && <NetworkApps open={search.get('app') ?? ''} />}
      {!isApps && (
        <div className={styles.profiles}>
          <div data-testid="profiles-list" className={styles.list}>
            {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
            {!data && !error && <Loading />}
            {data && shown.length === 0 && (
              <EmptyState icon="profiles" title={all.length > 0 ? texts.profiles.nothingFits : texts.profiles.none}>
                {all.length === 0 && texts.profiles.noneWhy}
              </EmptyState>
            )}
            {groupsOf(shown).map(({ network, items }) => (
              <section key={network}>
                <h2 className={styles.network}>{networkName(network)}</h2>
                <ul className={styles.cards}>
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
      {isConnecting && <ConnectDialog onClose={() => setIsConnecting(false)} />}
      {offer && mayConnect && (
        <ChooseProfilesDialog id={offer} onClose={() => setSearch({ offer: '' }, { replace: true })} />
      )}
    </>
  )
}

/** Groups keep the order of their first profile, so that networks that need attention come first. */
function groupsOf(profiles: readonly Health[]) {
  const names = [...new Set(profiles.map(({ Network }) => Network))]
  return names.map((network) => ({ network, items: profiles.filter(({ Network }) => Network === network) }))
}

/** Shows the result of connecting a profile once, when the browser returns from the network. */
function useConnectResult(search: URLSearchParams) {
  const connected = search.get('connected')
  const failure = search.get('refused')
  useEffect(() => {
    if (connected) toast(texts.profiles.connected(connected.split(',').length))
    if (failure) toast(texts.profiles.refused(networkName(failure)), { kind: 'problem' })
    if (!connected && !failure) return
    invalidate('GET /credential-health', 'GET /credential/{id}/health', 'v2 GET /credential')
    setSearch({ connected: '', refused: '' }, { replace: true })
  }, [connected, failure])
}

/** Chooses a network to log in to; the browser is redirected there and back. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const { data } = useApiQuery('GET /network', {})
  return (
    <Dialog title={texts.profiles.connect} onClose={onClose}>
      <p>{texts.profiles.connectWhy}</p>
      {!data && <Loading />}
      <ul data-testid="connect-list" className={styles.connectList}>
        {data?.Items.map(({ Network, HasApp, Settings, Path }) => (
          <li key={Network}>
            {HasApp ? (
              <a data-ui="button" className={buttonStyles.button} href={Path}>
                <NetworkIcon network={Network} />
                {networkName(Network)}
              </a>
            ) : (
              <span className={styles.connectUnavailable}>
                <NetworkIcon network={Network} />
                <span>
                  {networkName(Network)}
                  <small className={fieldStyles.hint}>{texts.profiles.noApp(formatList(Settings))}</small>
                </span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

/** Chooses from the profiles a login gives access to. A login can be used only once. */
export function ChooseProfilesDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useApiQuery('GET /connect-offer/{id}', { id }, { keepPrevious: false })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setChosen(new Set(data?.Items.map(({ RemoteId }) => RemoteId))), [data])
  const connect = useApiMutation('POST /connect-offer/{id}', {
    invalidates: ['GET /credential-health', 'v2 GET /credential'],
    onSuccess: ({ Items }) => {
      if (Items.length > 0) toast(texts.profiles.connected(Items.length))
      onClose()
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
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
      title={data ? texts.profiles.choose(networkName(data.Network)) : texts.profiles.connect}
      onClose={onClose}
      onSubmit={submit}
    >
      {error && <ErrorMessage {...errorDetails(error)} />}
      {!data && !error && <Loading />}
      {data && (
        <>
          <p>{texts.profiles.chooseWhy}</p>
          <ul className={styles.chooseProfiles}>
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
            <Button onClick={onClose}>{texts.ui.cancel}</Button>
            <Button variant="primary" type="submit" busy={connect.isPending} onClick={submit}>
              {texts.profiles.connectChosen(chosen.size)}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  )
}
