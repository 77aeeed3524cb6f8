/* Ends one expansion of layout_expand.h. No include guard, on purpose. */
#undef LL_RECORD
#undef LL_FIELD
#undef LL_END
#undef LL_STRING
#undef LL_BYTES
#undef LL_GROUP
