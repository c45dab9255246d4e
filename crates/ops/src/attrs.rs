//! Attributes that choose among texts.

/// Declares an enum whose values are the texts that an attribute may hold.
#[macro_export]
macro_rules! attr_enum {
    (
        $(#[doc = $doc:literal])*
        $name:ident { $($(#[doc = $vdoc:literal])* $variant:ident = $text:literal),* $(,)? }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[doc = $vdoc])* $variant,)*
        }

        impl ::ferrograph_graph::AttrValue for $name {
            const KIND: ::ferrograph_graph::AttrKind = ::ferrograph_graph::AttrKind::Str;
            fn to_attr(&self) -> Option<::ferrograph_graph::Attr> {
                let text = match self {
                    $($name::$variant => $text,)*
                };
                Some(::ferrograph_graph::Attr::str(text))
            }
            fn read(
                reader: &::ferrograph_graph::AttrReader<'_>,
                name: &str,
            ) -> ::ferrograph_tensor::Result<$name> {
                match reader.str(name)?.as_str() {
                    $($text => Ok($name::$variant),)*
                    other => Err(::ferrograph_tensor::err!(
                        Value,
                        "{name} must be {}, got {other:?}",
                        [$(concat!("\"", $text, "\"")),*].join(" or ")
                    )),
                }
            }
        }
    };
}
pub(crate) use attr_enum;
