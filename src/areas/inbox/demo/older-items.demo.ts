import { contributor, owner, publisher } from '#areas/account/account.demo.ts'
import {
  type DemoItem,
  facebookComment,
  facebookMention,
  facebookMessage,
  instagramComment,
  instagramMention,
  instagramMessage,
  linkedInComment,
  linkedInMention,
  linkedInMessage,
  tikTokComment,
  tikTokMessage,
  xMention,
  xMessage,
  xReply,
  youTubeComment,
} from './demo-item.demo.ts'

const [ada, pablo, chidi] = [owner, publisher, contributor]
const closed = { isClosed: true }

/** Items of the weeks before. */
export const olderItems: readonly DemoItem[] = [
  instagramComment('de', 'lena.klettert', 'Gibt es den Gurt auch ohne Metallschnalle? Allergie 🙈', { tags: [4] }),
  facebookMention(
    'en',
    'Dunmore Scouts',
    'Our Beavers slept dry through Saturday, thanks to the loan tents from Northwind Outdoor!',
    { tags: [1], ...closed },
  ),
  xMention('es', 'Radio Cumbre', 'Hoy a las 18:00 hablamos con @northwindoutdoor sobre refugios y wifi. ¿Preguntas?', {
    tags: [5],
  }),
  linkedInComment(
    'fr',
    'Étienne Roux',
    'Belle initiative. Peut-on apporter du matériel d’autres marques à l’atelier ?',
    {
      later: [['us', 'Oui, toutes les marques, dans la limite des pièces que nous avons.']],
      ...closed,
    },
  ),
  facebookMessage(
    'it',
    'Chiara Fontana',
    'Buonasera, ho sbagliato indirizzo nell’ordine di oggi. Si può ancora cambiare?',
    { tags: [3] },
  ),
  tikTokComment('es', 'pepa.camina', 'necesito esa taza. NECESITO esa taza', { tags: [1] }),
  instagramComment('ja', 'yuki_yama', 'このルート、初心者でも行けますか？', { tags: [4] }),
  xMessage(
    'en',
    'Amara Osei',
    'Is the accessible trail map still a thing? The link in your bio goes to an error page.',
    {
      later: [['note', 'Link is dead since the move of the site. Told the web team.']],
      assignee: chidi,
    },
  ),
  youTubeComment('en', 'Slow Miles', 'Finally a gear film without a drone in my ear. More of this.', {
    tags: [1],
    ...closed,
  }),
  linkedInMention(
    'pt',
    'Instituto Serra',
    'Obrigado à Northwind Outdoor pelo apoio ao plano de trilhos acessíveis.',
    closed,
  ),
  facebookComment(
    'de',
    'Petra Lindner',
    'Schade, dass die Kinderjacken nicht mehr in Orange kommen. Man sah sie so gut.',
  ),
  instagramMention(
    'fr',
    'camille.grimpe',
    'Merci @northwind.outdoor pour le prêt des crampons, on revient entières !',
    { tags: [1], ...closed },
  ),
  xReply('nl', 'Joost Meijer', 'Werkt de reparatiebus ook in Nederland of alleen over de grens?'),
  tikTokMessage('de', 'frau.fernweh', 'hey, macht ihr auch kooperationen mit kleinen accounts?', { tags: [8] }),
  linkedInComment('es', 'Carmen Ibarra', '¿El informe incluye a los proveedores de segundo nivel?', { tags: [5] }),
  facebookMessage(
    'en',
    'Niamh Burke',
    'The parcel came, one pole is missing from the tent. Photos attached to my first mail.',
    {
      later: [
        ['us', 'Thank you for the photos, Niamh. A new pole leaves the warehouse today.'],
        ['they', 'Arrived this morning, all complete. Thanks a million.'],
      ],
      tags: [3],
      ...closed,
    },
  ),
  instagramMessage('en', 'Oskar Lindqvist', 'Any chance the 2019 rain cover fits the new 40 litre pack?', {
    tags: [4],
    ...closed,
  }),
  youTubeComment('pt', 'Trilhas do Zé', 'Qual é o peso com tudo dentro? Não disseram no vídeo.', { tags: [4] }),
  xMention(
    'de',
    'Hütte am See',
    'Nächste Woche zu Gast: das Reparaturteam von @northwindoutdoor. Bringt kaputte Jacken mit!',
    { tags: [1] },
  ),
  facebookComment('ja', '中村 翔', '冬も営業していますか？', closed),
  linkedInComment(
    'en',
    'Fatima Zahra El Idrissi',
    'We tested the loan programme with forty students. Happy to share numbers.',
    { tags: [8], assignee: ada },
  ),
  tikTokComment('pt', 'nando.na.estrada', 'comprei por causa deste vídeo e não me arrependo', { tags: [1], ...closed }),
  instagramComment('it', 'vale.in.quota', 'Colore nuovo quando? Il grigio lo avete finito da mesi.', { tags: [2] }),
  xReply('fr', 'Basile Lemoine', 'Votre service client répond plus vite ici que par mail, c’est noté.', {
    tags: [1],
    ...closed,
  }),
  youTubeComment('ja', 'ソロキャンプの記録', '字幕がとても丁寧で助かります。'),
  facebookMention(
    'nl',
    'Wandelkring De Peel',
    'Dank aan Northwind Outdoor voor de reflecterende banden, veertig wandelaars zichtbaar.',
    closed,
  ),
  linkedInMessage(
    'es',
    'Álvaro Cid',
    'Hola, soy profesor de diseño y mis alumnos quieren visitar el taller. ¿Con quién hablo?',
    { tags: [6] },
  ),
  xMessage('it', 'Sara Bellini', 'Il pacco risulta consegnato ma non l’ho ricevuto.', {
    tags: [3, 2],
    assignee: pablo,
  }),
  instagramMention('nl', 'lotte.loopt', 'Dag 12: schoenen van @northwind.outdoor nog heel, voeten ook.', { tags: [1] }),
  tikTokComment('ja', 'やまのぼり日記', 'この曲なんですか？', closed),
]
