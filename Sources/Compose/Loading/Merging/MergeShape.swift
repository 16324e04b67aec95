import YAML

/// How the values under a key are written, brought into one form and merged.
///
/// The rules are those of https://github.com/compose-spec/compose-spec/blob/main/13-merge.md, as compose-go has them.
indirect enum MergeShape: Sendable {
    /// A scalar, or anything without rules: a later one replaces it; mappings merge and lists append.
    case plain
    /// A later value replaces the whole, even if it is null.
    case replaced
    /// A string or a list of values; later ones are appended, and one of equal identity takes the earlier one's place.
    case list(ItemForm, identity: ItemIdentity?)
    /// A mapping of scalars, or a list of `KEY=value`. A bare key is null.
    case keyValues
    /// A mapping, or a list of names, which stands for a mapping of names to null or a default.
    case named(MergeShape, defaults: [(String, String)])
    /// A mapping with keys of the user's choice.
    case dictionary(MergeShape)
    /// A mapping with known keys; a scalar stands for one of them.
    case fields([String: MergeShape], short: String?)
    /// `host: address`, `host: [address, …]` or a list of `host=address`.
    case extraHosts
    /// Options of another driver replace those of the first.
    case logging([String: MergeShape])
    /// Pools of the same subnet merge.
    case pools([String: MergeShape])
    /// A mapping whose `external` may be a mapping that holds the name.
    case resource([String: MergeShape])
}

/// The short form of a list's items.
enum ItemForm: Sendable {
    case text
    /// An item's scalar stands for one key of its mapping.
    case short(String)
    case port
    case volume
    case device
    case gpu
    /// `id=path`, kept as text.
    case mapping([String: MergeShape])
}

/// What makes two items of a list the same.
enum ItemIdentity: Sendable {
    case text
    case port
    case target
    case fileTarget(prefix: String)
    case path
    case mountPoint
}
